import { Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ArtifactColumn, ArtifactTable } from "~/api/artifact";
import { labelOf, type Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { columnCorrection } from "~/logic/corrections";
import { percent, reasonsWords } from "~/logic/explain";
import { sourceTitle } from "~/logic/turned";
import { useForbidden } from "~/shell/workspace";
import { addPending } from "../review/pending";

interface Props {
  run: Run;
  table: ArtifactTable;
  column: ArtifactColumn;
  manifest: Manifest | null;
}

/** The fields that a column is likely to be, with reasons; one click makes it a correction and shows what it changes. */
export function Suggestions({ run, table, column, manifest }: Props) {
  const forbidden = useForbidden("operator");
  const navigate = useNavigate();
  const correct = (field: string): void => {
    addPending(run.id, columnCorrection(table, column, { field }));
    void navigate({ to: "/runs/$runId", params: { runId: run.id }, search: { tab: "review" } });
  };
  return (
    <Stack gap="xs" mt="xs" role="list" aria-label="Suggestions">
      {column.suggestions.map((one) => {
        const label = labelOf(manifest, one.field);
        return (
          <Group key={one.field} role="listitem" gap="sm" wrap="nowrap" align="flex-start">
            <Tooltip label={forbidden} disabled={!forbidden}>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<Check size={14} />}
                disabled={forbidden !== null}
                onClick={() => correct(one.field)}
              >
                {sourceTitle(column.source)} is {label}
              </Button>
            </Tooltip>
            <Text size="sm">
              <strong className="num">{percent(one.confidence)}</strong> likely. {reasonsWords(one.contributions)}
            </Text>
          </Group>
        );
      })}
    </Stack>
  );
}
