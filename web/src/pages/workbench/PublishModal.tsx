import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { publishDraft } from "~/api/drafts";
import type { CheckResult, Configuration } from "~/api/types";
import { ErrorPanel, RowsSkeleton, showDone } from "~/components/feedback";
import { counted } from "~/logic/numbers";
import { load } from "~/shell/version";
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
  const publish = usePublishing(configuration);
  const errors = (check?.problems ?? []).filter((problem) => problem.severity === "error");
  return (
    <Modal opened onClose={onClose} size="80rem" title={`Publish version ${configuration.draft_version}`}>
      <Stack>
        <Text size="sm">New runs will use it. Runs that exist keep the version they were submitted with.</Text>
        {errors.length > 0 && (
          <Text size="sm" fw={600}>
            {counted(errors.length, "problem")} would make its build fail:
          </Text>
        )}
        {check && check.problems.length > 0 && <Problems check={check} onOpen={onClose} />}
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
          <Button loading={publish.isPending} disabled={errors.length > 0} onClick={() => publish.mutate(note)}>
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
    mutationFn: (note: string) => publishDraft(configuration.id, note),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      showDone(`Version ${configuration.draft_version} is published`);
      void navigate({ to: "/configurations/$configurationId", params: { configurationId: configuration.id } });
    },
  });
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
