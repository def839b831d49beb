import { useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { Artifact, Issue } from "~/api/artifact";
import { issueCountsQuery, issueMarksQuery, MARK_ROWS } from "~/api/queries";
import { issuesByCell, issuesOf } from "~/logic/explain";

const NONE: Issue[] = [];

/** The issues of the cells on the screen. The artifact keeps the first of each table; those beyond are asked for. */
export function useIssueMarks(
  artifact: Artifact | null,
  runId: string | null,
  sheet: string | null,
): { issues: Map<string, Issue[]>; setRows: (first: number, last: number) => void } {
  const [blocks, setBlocks] = useState<number[]>([0]);
  const setRows = useCallback((first: number, last: number): void => {
    const wanted = [...new Set([first, last].map((row) => Math.floor((row - 1) / MARK_ROWS)))];
    setBlocks((before) => (String(before) === String(wanted) ? before : wanted));
  }, []);
  const kept = useMemo(() => (artifact ? issuesOf(artifact) : NONE), [artifact]);
  const isCut = artifact !== null && runId !== null && kept.length < artifact.summary.issues.total;
  // Counting lets the server find the issues of far rows without reading those before them.
  useQuery({ ...issueCountsQuery(runId ?? ""), enabled: isCut });
  const found = useQueries({
    queries: isCut ? blocks.map((block) => issueMarksQuery(runId, sheet, block)) : [],
    combine: (results) => results.flatMap(({ data }) => data ?? NONE),
  });
  const issues = useMemo(() => issuesByCell(isCut ? found : kept, sheet), [isCut, found, kept, sheet]);
  return { issues, setRows };
}
