import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { publishDraft } from "~/api/drafts";
import type { CheckResult, Configuration } from "~/api/types";
import { ErrorPanel, RowsSkeleton, showDone } from "~/components/feedback";
import { counted } from "~/logic/numbers";
import { Problems } from "./Problems";
import { load } from "~/shell/version";

const VersionDiff = lazy(() => load(() => import("../configurations/VersionDiff")));

/** What will change for everyone, and whether it is sound, before it does. */
export function PublishModal({
  configuration,
  check,
  onClose,
}: {
  configuration: Configuration;
  check: CheckResult | undefined;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [note, setNote] = useState("");
  const publish = useMutation({
    mutationFn: () => publishDraft(configuration.id, note),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      showDone(`Version ${configuration.draft_version} is published`);
      void navigate({ to: "/configurations/$configurationId", params: { configurationId: configuration.id } });
    },
  });
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
        {configuration.published_version !== null && configuration.draft_version !== null && (
          <Suspense fallback={<RowsSkeleton />}>
            <VersionDiff
              configurationId={configuration.id}
              before={configuration.published_version}
              after={configuration.draft_version}
            />
          </Suspense>
        )}
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
          <Button loading={publish.isPending} disabled={errors.length > 0} onClick={() => publish.mutate()}>
            Publish
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
