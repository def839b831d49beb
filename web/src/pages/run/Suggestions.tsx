import { Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { Check } from "lucide-react";
import type { ArtifactColumn } from "~/api/artifact";
import { labelOf, type Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { percent, reasonsWords } from "~/logic/explain";
import { useForbidden } from "~/shell/workspace";
import { useCorrection } from "./CorrectModal";

interface Props {
  run: Run;
  column: ArtifactColumn;
  manifest: Manifest | null;
}

/** The fields that a column is likely to be, with reasons; one click writes the choice into a draft and tests it. */
export function Suggestions({ run, column, manifest }: Props) {
  const forbidden = useForbidden("author") ?? (column.header ? null : "Without a header, only a rule can identify it.");
  const correct = useCorrection(run, column);
  return (
    <Stack gap="xs" mt="xs" role="list" aria-label="Suggestions">
      {(column.suggestions ?? []).map((one) => {
        const label = labelOf(manifest, one.field);
        return (
          <Group key={one.field} role="listitem" gap="sm" wrap="nowrap" align="flex-start">
            <Tooltip label={forbidden} disabled={!forbidden}>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<Check size={14} />}
                disabled={forbidden !== null}
                loading={correct.isPending}
                onClick={() => correct.mutate({ field: one.field })}
              >
                Column {column.source} is {label}
              </Button>
            </Tooltip>
            <Text size="sm">
              <strong className="num">{percent(one.confidence)}</strong> likely. {reasonsWords(one.contributions)}
            </Text>
          </Group>
        );
      })}
      {correct.error && <ErrorPanel error={correct.error} />}
    </Stack>
  );
}
