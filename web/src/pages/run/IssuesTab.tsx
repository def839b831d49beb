import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useMemo } from "react";
import type { Artifact, Issue } from "~/api/artifact";
import { issuesQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { SeverityBadge } from "~/components/status";
import { VirtualTable, type Column } from "~/components/VirtualTable";
import { wholeOf } from "~/logic/explain";
import { count } from "~/logic/numbers";
import classes from "./run.module.css";

const route = getRouteApi("/runs/$runId");
const FACETS = ["severity", "rule", "field"] as const;
type Facet = (typeof FACETS)[number];

/** What is wrong in the data, by severity, rule and field; a click opens the cell. */
export default function IssuesTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const issues = useQuery(issuesQuery(run.id));
  const all = useMemo(() => issues.data ?? [], [issues.data]);
  const shown = all.filter((issue) =>
    FACETS.every((facet) => !search[facet] || String(issue[facet]) === search[facet]),
  );
  const total = artifact.summary.issues.total;
  if (total === 0)
    return (
      <div className="card">
        <Empty icon={<CircleCheck aria-hidden />} title="No issues">
          Every value passed every check of the configuration.
        </Empty>
      </div>
    );
  if (errorOf(issues)) return <ErrorPanel error={errorOf(issues)} onAgain={() => void issues.refetch()} />;
  if (issues.isPending) return <RowsSkeleton />;
  const choose = (facet: Facet, value: string | undefined): void =>
    void navigate({ search: { ...search, tab: "issues", [facet]: value }, replace: true, resetScroll: false });
  return (
    <div className={classes.issuesLayout}>
      <div>
        {FACETS.map((facet) => (
          <FacetList
            key={facet}
            facet={facet}
            issues={all}
            chosen={search[facet]}
            onChoose={(value) => choose(facet, value)}
          />
        ))}
      </div>
      <div>
        <VirtualTable
          label="Issues"
          rows={shown}
          columns={columnsOf(run, artifact)}
          keyOf={(issue) => [issue.sheet, issue.cell, issue.field, issue.rule].join(" ")}
          onOpen={(issue) =>
            void navigate({
              to: "/documents/$documentId",
              params: { documentId: run.input_document_id },
              search: cellSearch(run, issue),
            })
          }
        />
        {all.length < total && (
          <Text size="sm" c="dimmed" mt="xs">
            The first {count(all.length)} of {count(total)} are shown.
          </Text>
        )}
      </div>
    </div>
  );
}

function cellSearch(run: Run, issue: Issue): { run: string; sheet?: string; cell?: string } {
  return { run: run.id, ...(issue.sheet && { sheet: issue.sheet }), ...(issue.cell && { cell: issue.cell }) };
}

function columnsOf(run: Run, artifact: Artifact): Column<Issue>[] {
  return [
    {
      id: "severity",
      header: "Severity",
      width: "104px",
      cell: (issue) => <SeverityBadge severity={issue.severity} />,
    },
    {
      id: "cell",
      header: "Cell",
      width: "120px",
      cell: (issue) =>
        issue.cell ? (
          <Link
            className="link mono"
            to="/documents/$documentId"
            params={{ documentId: run.input_document_id }}
            search={cellSearch(run, issue)}
          >
            {issue.sheet ? `${issue.sheet}!` : ""}
            {issue.cell}
          </Link>
        ) : (
          `${issue.sheet ? `${issue.sheet}: ` : ""}${wholeOf(artifact, issue)}`
        ),
    },
    { id: "field", header: "Field", width: "116px", from: "sm", cell: (issue) => issue.field ?? "–" },
    { id: "message", header: "What is wrong", cell: (issue) => <span title={issue.message}>{issue.message}</span> },
    {
      id: "rule",
      header: "Rule",
      width: "112px",
      from: "xl",
      cell: (issue) => <span className="mono">{issue.rule}</span>,
    },
  ];
}

function FacetList({
  facet,
  issues,
  chosen,
  onChoose,
}: {
  facet: Facet;
  issues: Issue[];
  chosen: string | undefined;
  onChoose: (value: string | undefined) => void;
}) {
  const counts = new Map<string, number>();
  for (const issue of issues) counts.set(String(issue[facet]), (counts.get(String(issue[facet])) ?? 0) + 1);
  if (counts.size < 2 && !chosen) return null;
  return (
    <div className={classes.facet}>
      <h3>{facet.charAt(0).toUpperCase() + facet.slice(1)}</h3>
      {[...counts]
        .sort((one, other) => other[1] - one[1])
        .map(([value, number]) => (
          <button
            key={value}
            type="button"
            aria-pressed={chosen === value}
            onClick={() => onChoose(chosen === value ? undefined : value)}
          >
            <span>{value === "null" ? "no field" : value}</span>
            <span className="num">{count(number)}</span>
          </button>
        ))}
    </div>
  );
}
