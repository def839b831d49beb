import { Button, Group, Stack, Text } from "@mantine/core";
import type { CaseReport, CaseReports } from "~/api/types";
import { counted } from "~/logic/numbers";

interface Props {
  tests: CaseReports;
  isPending: boolean;
  onTest: () => void;
  /** Why the person may not run them. */
  forbidden?: string | null;
}

/** How the cases of the draft came out, and what runs them; nothing for a draft without cases. */
export function CaseResults({ tests, isPending, onTest, forbidden = null }: Props) {
  if (tests.status === "none") return null;
  return (
    <Stack gap="xs" role="group" aria-label="Cases">
      <Group justify="space-between">
        <Text size="sm" fw={600} role="status">
          {summaryOf(tests)}
        </Text>
        {["not_run", "failed"].includes(tests.status) && (
          <Button
            size="compact-sm"
            variant="default"
            loading={isPending}
            disabled={forbidden !== null}
            title={forbidden ?? undefined}
            onClick={onTest}
          >
            Run the cases
          </Button>
        )}
      </Group>
      {tests.cases
        .filter(({ status }) => status !== "passed")
        .map((one) => (
          <FailedCase key={one.name} report={one} />
        ))}
    </Stack>
  );
}

function FailedCase({ report }: { report: CaseReport }) {
  const lines = report.failure ? [report.failure] : report.differences;
  const more = report.failure ? 0 : report.difference_count - report.differences.length;
  return (
    <div>
      <Text size="sm">{report.name}</Text>
      {lines.map((line) => (
        <Text key={line} size="sm" c="dimmed" className="mono">
          {line}
        </Text>
      ))}
      {more > 0 && (
        <Text size="sm" c="dimmed">
          and {counted(more, "more difference")}
        </Text>
      )}
    </div>
  );
}

/** Whether the draft may be published by itself: it has no cases, or all of them passed. */
export function havePassed(tests: CaseReports | undefined): boolean {
  if (tests === undefined) return false;
  return tests.status === "none" || (tests.status === "ready" && tests.cases.every((one) => one.status === "passed"));
}

/** Whether a worker has them, so that it is worth asking again. */
export function areUnderWay(tests: CaseReports | undefined): boolean {
  return tests?.status === "queued" || tests?.status === "building";
}

function summaryOf(tests: CaseReports): string {
  if (tests.status === "not_run") return "Its cases were not run since the last edit.";
  if (areUnderWay(tests)) return "A worker runs its cases …";
  if (tests.failure) return `It could not be tested: ${tests.failure}`;
  const passed = tests.cases.filter((one) => one.status === "passed").length;
  return `${passed} of ${counted(tests.cases.length, "case")} passed.`;
}
