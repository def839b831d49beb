import { Button, Tooltip } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Rocket, SquarePen, Undo2, Wrench } from "lucide-react";
import { useState } from "react";
import { undoCorrection, undoOf } from "~/api/corrections";
import { checkQuery, configurationQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { showDone, showProblem } from "~/components/feedback";
import { useForbidden } from "~/shell/workspace";
import { PublishModal } from "../workbench/PublishModal";

interface Props {
  before: Run;
  after: Run;
  /** The file that was changed for this run; null when nobody knows. */
  file: string | null;
}

/** What can follow a test run of a draft: take the correction back, correct more, edit, publish. */
export function DraftActions({ before, after, file }: Props) {
  const forbidden = useForbidden("author");
  const [isPublishing, setPublishing] = useState(false);
  const configuration = useQuery(configurationQuery(after.configuration_id)).data;
  const isDraft = configuration !== undefined && configuration.draft_version === after.version;
  const check = useQuery({ ...checkQuery(after.configuration_id), enabled: isPublishing });
  return (
    <>
      {isDraft && <UndoButton before={before} after={after} forbidden={forbidden} />}
      {after.status === "succeeded" && (
        <Button
          component={Link}
          {...({ to: "/runs/$runId", params: { runId: after.id }, search: { tab: "explanation" } } as object)}
          variant="default"
          leftSection={<Wrench size={16} />}
        >
          Correct another column
        </Button>
      )}
      <OpenDraft after={after} file={file} />
      {isDraft && after.status === "succeeded" && (
        <Tooltip label={forbidden} disabled={!forbidden}>
          <Button leftSection={<Rocket size={16} />} disabled={forbidden !== null} onClick={() => setPublishing(true)}>
            Publish…
          </Button>
        </Tooltip>
      )}
      {isPublishing && configuration && (
        <PublishModal configuration={configuration} check={check.data} onClose={() => setPublishing(false)} />
      )}
    </>
  );
}

function UndoButton({ before, after, forbidden }: { before: Run; after: Run; forbidden: string | null }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [edits] = useState(() => undoOf(after.id));
  const undo = useMutation({
    mutationFn: () => undoCorrection(after, edits ?? []),
    onSuccess: async () => {
      showDone("The draft is as it was before the correction");
      await navigate({ to: "/runs/$runId", params: { runId: before.id }, search: { tab: "explanation" } });
    },
    onError: showProblem,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["configurations"] }),
        client.invalidateQueries({ queryKey: ["configuration files"] }),
      ]),
  });
  if (!edits) return null;
  return (
    <Button
      variant="default"
      leftSection={<Undo2 size={16} />}
      loading={undo.isPending}
      disabled={forbidden !== null || undo.isError}
      onClick={() => undo.mutate()}
    >
      Undo the correction
    </Button>
  );
}

function OpenDraft({ after, file }: Omit<Props, "before">) {
  return (
    <Button
      component={Link}
      {...({
        to: "/configurations/$configurationId/edit",
        params: { configurationId: after.configuration_id },
        search: { document: after.input_document_id, run: after.id, ...(file && { file }) },
      } as object)}
      variant="default"
      leftSection={<SquarePen size={16} />}
    >
      Open the draft
    </Button>
  );
}
