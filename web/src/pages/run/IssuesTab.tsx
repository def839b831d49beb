import { Button, NativeSelect, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { CircleCheck, CircleDashed, Download } from "lucide-react";
import { useMemo, useState } from "react";
import type { Artifact, Issue } from "~/api/artifact";
import { manifestOf } from "~/api/manifest";
import { buildQuery, issueCountsQuery } from "~/api/queries";
import type { IssueCounts, Run } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { VirtualTable } from "~/components/VirtualTable";
import { FACETS, isChosen, SORTS, type Chosen, type Sort } from "~/logic/issues";
import { count, counted } from "~/logic/numbers";
import { downloadIssues } from "./downloadIssues";
import { issueColumns, narrowColumn } from "./issueColumns";
import { IssueFacets } from "./IssueFacets";
import { IssuePanel } from "./IssuePanel";
import { MOST_SORTED, useSortedIssues, type SortedIssues } from "./useSortedIssues";
import { PendingBar } from "./values/PendingBar";
import { ValueGroups } from "./values/ValueGroups";
import classes from "./issues.module.css";

const route = getRouteApi("/runs/$runId");
const NOTHING = { severity: undefined, rule: undefined, field: undefined };

/** What is wrong in the data, by severity, rule and field; each with its value and the row around it. */
export default function IssuesTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  const total = artifact.summary.issues.total;
  if (total === 0) return <NoIssues run={run} />;
  return <Issues run={run} artifact={artifact} />;
}

/** No issue is not all: what has no field, or was not found, is checked by nothing. */
function NoIssues({ run }: { run: Run }) {
  const isReady = run.verdict === "ready";
  return (
    <div className="card">
      <Empty icon={isReady ? <CircleCheck aria-hidden /> : <CircleDashed aria-hidden />} title="No issues">
        {isReady
          ? "Every value passed every check of the configuration."
          : `No value that was checked has one. ${run.verdict_reason ?? ""}`}
      </Empty>
    </div>
  );
}

function Issues({ run, artifact }: { run: Run; artifact: Artifact }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const chosen = useMemo(
    () => Object.fromEntries(FACETS.flatMap((one) => (search[one] ? [[one, search[one]]] : []))) as Chosen,
    [search],
  );
  const counts = useQuery(issueCountsQuery(run.id));
  const choose = (wanted: Chosen): void => {
    const words = { ...search, ...NOTHING, ...wanted, tab: "issues" } as typeof search;
    void navigate({ search: words, replace: true, resetScroll: false });
  };
  if (errorOf(counts)) return <ErrorPanel error={errorOf(counts)} onAgain={() => void counts.refetch()} />;
  if (!counts.data) return <RowsSkeleton />;
  const isByValue = search.by === "value";
  const setByValue = (by: string): void =>
    void navigate({ search: { ...search, by: by === "value" ? by : undefined } as typeof search, replace: true });
  return (
    <div className={classes.layout}>
      <IssueFacets counts={counts.data} chosen={chosen} onChoose={choose} />
      <div>
        <Ways isByValue={isByValue} onChange={setByValue} />
        {isByValue ? (
          <Values run={run} chosen={chosen} />
        ) : (
          <IssueList
            key={JSON.stringify(chosen)}
            run={run}
            artifact={artifact}
            counts={counts.data}
            chosen={chosen}
            onAll={() => choose({})}
          />
        )}
      </div>
    </div>
  );
}

const WAYS = [
  { value: "cell", label: "By cell" },
  { value: "value", label: "By value" },
];

function Ways({ isByValue, onChange }: { isByValue: boolean; onChange: (by: string) => void }) {
  return (
    <SegmentedControl
      className={classes.by}
      size="xs"
      aria-label="How to list them"
      data={WAYS}
      value={isByValue ? "value" : "cell"}
      onChange={onChange}
    />
  );
}

function Values({ run, chosen }: { run: Run; chosen: Chosen }) {
  const build = useQuery(buildQuery(run.build_id)).data;
  return (
    <>
      <ValueGroups
        run={run}
        pendingRunId={run.id}
        manifest={manifestOf(build)}
        isShown={(group) => isChosen({ ...group, sheet: null, cell: null } as Issue, chosen)}
      />
      <PendingBar run={run} />
    </>
  );
}

interface ListProps {
  run: Run;
  artifact: Artifact;
  counts: IssueCounts;
  chosen: Chosen;
  onAll: () => void;
}

function IssueList({ run, artifact, counts, chosen, onAll }: ListProps) {
  const list = useSortedIssues(run, counts, chosen);
  const { issues, shown, more } = list;
  const [openAt, setOpenAt] = useState<number | null>(null);
  const isNarrow = useMediaQuery("(max-width: 820px)", undefined, { getInitialValueInEffect: false });
  const columns = useMemo(
    () => (isNarrow ? [narrowColumn(run, artifact)] : issueColumns(run, artifact)),
    [isNarrow, run, artifact],
  );
  if (errorOf(issues)) return <ErrorPanel error={errorOf(issues)} onAgain={() => void issues.refetch()} />;
  return (
    <div>
      <ListBar list={list} run={run} counts={counts} chosen={chosen} onSort={() => setOpenAt(null)} />
      {issues.isPending && <RowsSkeleton />}
      {issues.data && shown.length === 0 && <NoneAlike onAll={onAll} />}
      {shown.length > 0 && (
        <VirtualTable
          label="Issues"
          rows={shown}
          columns={columns}
          keyOf={keyOf}
          rowHeight={isNarrow ? 104 : 45}
          chosenIndex={openAt}
          isHeadSticky
          onOpen={(issue) => setOpenAt(shown.indexOf(issue))}
          onEnd={more}
        />
      )}
      {openAt !== null && shown[openAt] && (
        <OpenIssue run={run} artifact={artifact} list={list} at={openAt} onMove={setOpenAt} />
      )}
    </div>
  );
}

const keyOf = (issue: Issue): string => [issue.sheet, issue.cell, issue.field, issue.rule, issue.message].join(" ");

function headline(counts: IssueCounts, matching: number): string {
  const all = counts.groups.reduce((sum, group) => sum + group.count, counts.other_count);
  if (!counts.is_complete) return `${counted(all, "issue")} counted so far…`;
  return matching === all ? counted(all, "issue") : `${count(matching)} of ${counted(all, "issue")}`;
}

function Export({ run, chosen }: { run: Run; chosen: Chosen }) {
  const [isBusy, setBusy] = useState(false);
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      await downloadIssues(run, chosen);
    } catch (error) {
      showProblem(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Download size={14} />}
      loading={isBusy}
      onClick={() => void start()}
    >
      Download as CSV
    </Button>
  );
}

function NoneAlike({ onAll }: { onAll: () => void }) {
  return (
    <div className="card">
      <Empty
        icon={<CircleCheck aria-hidden />}
        title="No issue matches"
        action={
          <Button variant="default" mt="sm" onClick={onAll}>
            Show all issues
          </Button>
        }
      >
        Others may be.
      </Empty>
    </div>
  );
}

interface BarProps {
  onSort: () => void;
  list: SortedIssues;
  run: Run;
  counts: IssueCounts;
  chosen: Chosen;
}

/** How many there are, in which order, and all of them as a file. */
function ListBar({ list, run, counts, chosen, onSort }: BarProps) {
  return (
    <div className={classes.bar}>
      <strong role="status">{headline(counts, list.matching)}</strong>
      {!list.canSort && counts.is_complete && (
        <span className={classes.hint}>
          Only {count(MOST_SORTED)} or fewer can be sorted: choose a rule or a field first.
        </span>
      )}
      {list.isSorting && list.issues.hasNextPage && (
        <span className={classes.hint}>Loading all of them to sort them…</span>
      )}
      <NativeSelect
        size="xs"
        aria-label="Sort by"
        disabled={!list.canSort}
        data={Object.entries(SORTS).map(([value, label]) => ({
          value,
          label: value === "found" ? label : `By ${label.toLowerCase()}`,
        }))}
        value={list.isSorting ? list.sort : "found"}
        onChange={(event) => {
          list.setSort(event.currentTarget.value as Sort);
          onSort();
        }}
      />
      <Export run={run} chosen={chosen} />
    </div>
  );
}

interface OpenProps {
  run: Run;
  artifact: Artifact;
  list: SortedIssues;
  at: number;
  onMove: (at: number | null) => void;
}

function OpenIssue({ run, artifact, list, at, onMove }: OpenProps) {
  const { shown, matching, more } = list;
  const move = (step: number): void => {
    if (shown[at + step] === undefined) return;
    onMove(at + step);
    if (at + step > shown.length - 50) more();
  };
  return (
    <IssuePanel
      run={run}
      artifact={artifact}
      issue={shown[at] as Issue}
      place={`${count(at + 1)} of ${count(Math.max(matching, shown.length))}`}
      onPrevious={at > 0 ? () => move(-1) : null}
      onNext={shown[at + 1] ? () => move(1) : null}
      onClose={() => onMove(null)}
    />
  );
}
