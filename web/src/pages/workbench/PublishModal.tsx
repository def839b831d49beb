import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { publishDraft, readTests, startTests } from "~/api/drafts";
import type { CheckResult, Configuration } from "~/api/types";
import { ErrorPanel, RowsSkeleton, showDone, showProblem } from "~/components/feedback";
import { counted } from "~/logic/numbers";
import { load } from "~/shell/version";
import { areUnderWay, CaseResults, havePassed } from "./CaseResults";
import { Problems } from "./Problems";

const VersionDiff = lazy(() => load(() => import("../configurations/VersionDiff")));

interface Props {
  configuration: Configuration;
  check: CheckResult | undefined;
  onClose: () => void;
}

/** What will change for everyone, and whether it is sound, before it does. */
export function PublishModal({ configuration, check, onClose }: Props) {
  const [note, setNote] = useState("");
  const [isUntested, setUntested] = useState(false);
  const publish = usePublishing(configuration);
  const { tests, start } = useTests(configuration.id, configuration.draft_version !== null);
  const isTested = havePassed(tests);
  const errors = (check?.problems ?? []).filter((problem) => problem.severity === "error");
  return (
    <Modal opened onClose={onClose} size="80rem" title={`Publish version ${configuration.draft_version}`}>
      <Stack>
        <Text size="sm">New runs will use it. Runs that exist keep the version they were submitted with.</Text>
        <Soundness check={check} errorCount={errors.length} onClose={onClose} />
        <Cases tests={tests} start={start} isUntested={isUntested} onChoose={setUntested} />
        <Changes configuration={configuration} />
        <TextInput
          label="What is new"
          placeholder="Recognise Mitglieds-Nr."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {publish.error && <ErrorPanel error={publish.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Not yet
          </Button>
          <Button
            loading={publish.isPending}
            disabled={errors.length > 0 || !(isTested || isUntested)}
            onClick={() => publish.mutate({ note, isUntested: !isTested })}
          >
            Publish
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function usePublishing(configuration: Configuration) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ note, isUntested }: { note: string; isUntested: boolean }) =>
      publishDraft(configuration.id, note, isUntested),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      showDone(`Version ${configuration.draft_version} is published`);
      void navigate({ to: "/configurations/$configurationId", params: { configurationId: configuration.id } });
    },
  });
}

interface SoundnessProps {
  check: CheckResult | undefined;
  errorCount: number;
  onClose: () => void;
}

/** What the check found, and whether that would keep it from being built. */
function Soundness({ check, errorCount, onClose }: SoundnessProps) {
  return (
    <>
      {errorCount > 0 && (
        <Text size="sm" fw={600}>
          {counted(errorCount, "problem")} would make its build fail:
        </Text>
      )}
      {check && check.problems.length > 0 && <Problems check={check} onOpen={onClose} />}
    </>
  );
}

interface CasesProps extends ReturnType<typeof useTests> {
  isUntested: boolean;
  onChoose: (isUntested: boolean) => void;
}

/** How the cases came out; a draft is published without them only by choice. */
export function Cases({ tests, start, isUntested, onChoose }: CasesProps) {
  if (!tests) return null;
  return (
    <>
      <CaseResults tests={tests} isPending={start.isPending} onTest={() => start.mutate()} />
      {!havePassed(tests) && (
        <Checkbox
          label="Publish it even though its cases have not passed"
          checked={isUntested}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      )}
    </>
  );
}

const ASK_AGAIN_MS = 1000;

/** How the cases of the draft came out, asked for until a worker has run them; and what has them run. */
export function useTests(configurationId: string, isWanted = true) {
  const client = useQueryClient();
  // Not among the configurations: those are asked for again once the draft is published, and it has no tests any longer.
  const key = ["tests of a draft", configurationId];
  const { data: tests } = useQuery({
    queryKey: key,
    queryFn: () => readTests(configurationId),
    enabled: isWanted,
    staleTime: 0,
    refetchInterval: ({ state }) => (areUnderWay(state.data) ? ASK_AGAIN_MS : false),
  });
  const start = useMutation({
    mutationFn: () => startTests(configurationId),
    onSuccess: async (found) => {
      await client.cancelQueries({ queryKey: key }); // an answer under way may be older
      client.setQueryData(key, found);
    },
    onError: showProblem,
  });
  return { tests, start };
}

function Changes({ configuration }: { configuration: Configuration }) {
  const { published_version: before, draft_version: after } = configuration;
  if (before === null || after === null) return null;
  return (
    <Suspense fallback={<RowsSkeleton />}>
      <VersionDiff configurationId={configuration.id} before={before} after={after} />
    </Suspense>
  );
}
