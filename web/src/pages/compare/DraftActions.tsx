import { Button, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Rocket, SquarePen } from "lucide-react";
import { useState } from "react";
import { checkQuery, configurationQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { useForbidden } from "~/shell/workspace";
import { PublishModal } from "../workbench/PublishModal";

const route = getRouteApi("/compare");

/** What can follow a test run of a draft: edit, or publish. */
export function DraftActions({ after }: { after: Run }) {
  const forbidden = useForbidden("author");
  const [isPublishing, setPublishing] = useState(false);
  const configuration = useQuery(configurationQuery(after.configuration_id)).data;
  const isDraft = configuration !== undefined && configuration.draft_version === after.version;
  const check = useQuery({ ...checkQuery(after.configuration_id), enabled: isPublishing });
  return (
    <>
      <OpenDraft after={after} />
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

/** Open the draft at the file it was tested from. */
function OpenDraft({ after }: { after: Run }) {
  const { file } = route.useSearch();
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
