import { Link } from "@tanstack/react-router";
import type { Artifact, Issue } from "~/api/artifact";
import type { Run } from "~/api/types";
import { SeverityBadge } from "~/components/status";
import type { Column } from "~/components/VirtualTable";
import { wholeOf } from "~/logic/explain";
import { fieldWords, issueRuleWords } from "~/logic/issues";
import { IssueValue } from "./IssueValue";
import classes from "./issues.module.css";

function CellLink({ run, artifact, issue }: { run: Run; artifact: Artifact; issue: Issue }) {
  if (!issue.cell) return `${issue.sheet ? `${issue.sheet}: ` : ""}${wholeOf(artifact, issue)}`;
  const place = issue.sheet ? `${issue.sheet}!${issue.cell}` : issue.cell;
  return (
    <Link
      className="link mono"
      aria-label={place}
      to="/documents/$documentId"
      params={{ documentId: run.input_document_id }}
      search={{ run: run.id, cell: issue.cell, ...(issue.sheet && { sheet: issue.sheet }) }}
    >
      <span className={classes.place} title={place}>
        <span>{issue.sheet}</span>
        <span>{`${issue.sheet ? "!" : ""}${issue.cell}`}</span>
      </span>
    </Link>
  );
}

/** The columns of the list of issues. */
export function issueColumns(run: Run, artifact: Artifact): Column<Issue>[] {
  return [
    {
      id: "severity",
      header: "Severity",
      width: "108px",
      cell: (issue) => <SeverityBadge severity={issue.severity} />,
    },
    {
      id: "cell",
      header: "Cell",
      width: "150px",
      cell: (issue) => <CellLink run={run} artifact={artifact} issue={issue} />,
    },
    {
      id: "field",
      header: "Field",
      width: "124px",
      cell: (issue) => <span title={issue.field ?? undefined}>{issue.field ? fieldWords(issue.field) : "–"}</span>,
    },
    { id: "value", header: "Value", width: "20%", cell: (issue) => <IssueValue run={run} issue={issue} /> },
    {
      id: "message",
      header: "What is wrong",
      cell: (issue) => <Wrapped title={issue.message} words={issue.message} />,
    },
    {
      id: "rule",
      header: "Rule",
      width: "150px",
      from: "lg",
      cell: (issue) => <Wrapped title={issue.rule} words={issueRuleWords(issue.rule)} />,
    },
  ];
}

function Wrapped({ title, words }: { title: string; words: string }) {
  return (
    <span className={classes.message} title={title}>
      {words}
    </span>
  );
}

/** Everything in one column, if there is no room for more. */
export function narrowColumn(run: Run, artifact: Artifact): Column<Issue> {
  return {
    id: "issue",
    header: "Issue",
    cell: (issue) => (
      <div className={classes.narrow}>
        <div className={classes.narrowHead}>
          <SeverityBadge severity={issue.severity} />
          <CellLink run={run} artifact={artifact} issue={issue} />
          {issue.field && <span>{fieldWords(issue.field)}</span>}
        </div>
        <p>{issue.message}</p>
        <div className={classes.narrowValue}>
          <IssueValue run={run} issue={issue} />
        </div>
      </div>
    ),
  };
}
