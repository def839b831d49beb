import { ActionIcon, Button, Text, Title, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowRight, ChevronDown, ChevronRight, Link2, Wrench } from "lucide-react";
import { useState } from "react";
import type { Artifact, ArtifactColumn, ArtifactTable } from "~/api/artifact";
import { manifestOf, placeOf, type Manifest } from "~/api/manifest";
import { buildQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { showDone } from "~/components/feedback";
import {
  barToPass,
  byWeight,
  columnVerdict,
  hiddenWords,
  ownRule,
  rowsWords,
  ruleWords,
  sheetState,
  tablesOf,
  type PlacedTable,
} from "~/logic/explain";
import { counted, signed } from "~/logic/numbers";
import { useForbidden } from "~/shell/workspace";
import { CorrectModal } from "./CorrectModal";
import classes from "./run.module.css";

const route = getRouteApi("/runs/$runId");

/** Why each header row and each mapping was chosen, table by table. */
export default function ExplanationTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const tables = tablesOf(artifact);
  const states = artifact.sheets.map((sheet) => [sheet.name, sheetState(sheet)] as const).filter(([, state]) => state);
  const isFailed = artifact.run.failure !== null;
  return (
    <>
      {tables.map((placed) => (
        <TableExplanation key={placeName(placed)} placed={placed} isFailed={isFailed} run={run} manifest={manifest} />
      ))}
      {states.map(([name, state]) => (
        <Text key={name} c="dimmed">
          {name === null ? "The document" : `Sheet “${name}”`}: {state}.
        </Text>
      ))}
    </>
  );
}

function placeName({ sheet, table }: PlacedTable): string {
  return `${sheet ?? ""} ${table.range}`;
}

interface Explained {
  placed: PlacedTable;
  isFailed: boolean;
  run: Run;
  manifest: Manifest | null;
}

function TableExplanation({ placed, isFailed, run, manifest }: Explained) {
  const { sheet, table } = placed;
  const rows = counted(table.rows.written, "row");
  const state = isFailed ? `${rows}, not written because the run failed` : `${rows} written to “${table.output}”`;
  return (
    <section className={`card ${classes.table}`} aria-label={`Table ${placeName(placed)}`}>
      <div className={classes.tableHead}>
        <Title order={2} size="h4">
          {sheet ?? "The document"} <span className="mono">{table.range}</span>
        </Title>
        <Text size="sm" c="dimmed">
          {table.is_complete ? state : "the run failed here"}
          {leftOut(table)}
          {hiddenWords(table.hidden) && `; ${hiddenWords(table.hidden)} of the document included`}
        </Text>
      </div>
      <HeaderWhy table={table} />
      <div className={`${classes.columnHead} ${classes.columnTitles}`} aria-hidden>
        <span />
        <span>Column of the sheet</span>
        <span />
        <span>Field</span>
        <span className={classes.scored}>Score, and the mark it had to pass</span>
        <span />
      </div>
      {table.columns.map((column) => (
        <ColumnWhy key={column.source} column={column} table={table} run={run} manifest={manifest} />
      ))}
    </section>
  );
}

function leftOut(table: ArtifactTable): string {
  const parts = [
    ["title", table.title_rows],
    ["totals", table.totals_rows],
    ["group heading", table.group_rows],
    ["note", table.note_rows],
    ["repeated header", table.repeated_header_rows],
  ] as const;
  const told = parts.filter(([, rows]) => rows.length > 0).map(([name, rows]) => `${name} in ${rowsWords(rows)}`);
  return told.length ? `; not data: ${told.join(", ")}` : "";
}

function HeaderWhy({ table }: { table: ArtifactTable }) {
  const { header } = table;
  const [isOpen, setOpen] = useState(false);
  const words = rowsWords(header.rows);
  const rival = header.runner_up;
  return (
    <div className={classes.why}>
      <Text>
        {header.rows.length > 0 ? (
          <>
            <strong>{words.charAt(0).toUpperCase() + words.slice(1)}</strong> {header.rows.length === 1 ? "is" : "are"}{" "}
            the header
            {header.score !== null && (
              <>
                {" "}
                with a score of <strong className="num">{header.score.toFixed(2)}</strong>
              </>
            )}
            {rival && header.margin !== null && (
              <>
                . Next best, <span className="num">{header.margin.toFixed(2)}</span> lower:{" "}
                {rival.rows.length ? rowsWords(rival.rows) : "no header at all"}
              </>
            )}
            .
          </>
        ) : (
          "It has no header row."
        )}{" "}
        {header.contributions.length > 0 && (
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? "Hide why" : "Why?"}
          </Button>
        )}
      </Text>
      {isOpen && <Bars contributions={header.contributions} subject="header" />}
    </div>
  );
}

function ColumnWhy({
  column,
  table,
  run,
  manifest,
}: {
  column: ArtifactColumn;
  table: ArtifactTable;
  run: Run;
  manifest: Manifest | null;
}) {
  const place = `${table.range.replace(/:.*/, "")}.${column.source}`;
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const [isCorrecting, setCorrecting] = useState(false);
  const isOpen = search.column === place;
  const forbidden = useForbidden("author");
  const toggle = (): void =>
    void navigate({
      search: { tab: "explanation", ...(isOpen ? {} : { column: place }) },
      replace: true,
      resetScroll: false,
    });
  const share = (): void => {
    const address = `${location.origin}/runs/${run.id}?tab=explanation&column=${place}`;
    void navigator.clipboard.writeText(address).then(() => showDone("Link copied"));
  };
  return (
    <div className={classes.column}>
      <button type="button" className={classes.columnHead} onClick={toggle} aria-expanded={isOpen}>
        <span className={`mono ${classes.letter}`}>{column.source}</span>
        <span title={column.header}>{column.header || <em>no header</em>}</span>
        <ArrowRight size={15} aria-label="becomes" />
        {column.target ? (
          <span className={classes.target}>{column.target}</span>
        ) : (
          <span className={classes.unmapped}>{column.reason === "ignored" ? "left out" : "not mapped"}</span>
        )}
        <Meter column={column} />
        {isOpen ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
      </button>
      {isOpen && (
        <div className={classes.columnBody}>
          <Text size="sm">
            {columnVerdict(column)}
            {barToPass(column) !== null && column.target && (
              <>
                {" "}
                It had to reach <span className="num">{barToPass(column)?.toFixed(2)}</span> and has{" "}
                <span className="num">{column.score?.toFixed(2)}</span>.
              </>
            )}
          </Text>
          {column.contributions.length > 0 && (
            <Bars contributions={column.contributions} subject="column" manifest={manifest} run={run} />
          )}
          <div style={{ display: "flex", gap: 8, marginTop: 10 }}>
            <Tooltip label={forbidden} disabled={!forbidden}>
              <Button
                size="xs"
                variant="default"
                leftSection={<Wrench size={14} />}
                disabled={forbidden !== null}
                onClick={() => setCorrecting(true)}
              >
                This column is wrong
              </Button>
            </Tooltip>
            <Tooltip label="Copy a link to this column">
              <ActionIcon
                variant="subtle"
                color="gray"
                onClick={share}
                aria-label={`Copy a link to column ${column.source}`}
              >
                <Link2 size={16} />
              </ActionIcon>
            </Tooltip>
          </div>
          {isCorrecting && (
            <CorrectModal run={run} column={column} manifest={manifest} onClose={() => setCorrecting(false)} />
          )}
        </div>
      )}
    </div>
  );
}

/** The score against the bar it had to pass. */
function Meter({ column }: { column: ArtifactColumn }) {
  const score = column.score ?? column.runner_up?.score ?? 0;
  const bar = barToPass(column) ?? 0.5;
  const full = Math.max(2, score, bar);
  const isLow = column.target === null;
  return (
    <span className={classes.meter}>
      <span className={classes.meterBar}>
        <span
          style={{ display: "block", width: `${(Math.max(0, score) / full) * 100}%` }}
          className={classes.meterFill}
          data-low={isLow || undefined}
        />
        {!isLow && <span className={classes.meterMark} style={{ left: `${(bar / full) * 100}%` }} />}
      </span>
      <span className="num">{score.toFixed(2)}</span>
    </span>
  );
}

/** Signed bars: to the right what speaks for it, to the left what speaks against it. */
function Bars({
  contributions,
  subject,
  manifest = null,
  run,
}: {
  contributions: ArtifactColumn["contributions"];
  subject: "header" | "column";
  manifest?: Manifest | null;
  run?: Run;
}) {
  const largest = Math.max(...contributions.map((one) => Math.abs(one.delta)), 0.01);
  return (
    <div className={classes.bars} role="list" aria-label="Contributions">
      {byWeight(contributions).map((one) => {
        const share = (Math.abs(one.delta) / largest) * 50;
        return (
          <div key={one.rule} role="listitem" style={{ display: "contents" }}>
            <span title={one.rule}>
              <RuleName rule={one.rule} subject={subject} manifest={manifest} run={run} />
            </span>
            <span className={classes.bar} aria-hidden>
              <i
                data-negative={one.delta < 0 || undefined}
                style={one.delta < 0 ? { right: "50%", width: `${share}%` } : { left: "50%", width: `${share}%` }}
              />
            </span>
            <span className="num" style={{ textAlign: "right" }}>
              {signed(one.delta)}
            </span>
          </div>
        );
      })}
    </div>
  );
}

function RuleName({
  rule,
  subject,
  manifest,
  run,
}: {
  rule: string;
  subject: "header" | "column";
  manifest: Manifest | null;
  run: Run | undefined;
}) {
  const words = ruleWords(rule, subject);
  const place = placeOf(manifest, rule);
  const own = ownRule(rule);
  if (!run || !own) return <>{words}</>;
  return (
    <Link
      className="link"
      to="/configurations/$configurationId/edit"
      params={{ configurationId: run.configuration_id }}
      search={{ file: place?.file ?? own.file, ...(place ? { line: String(place.line) } : { find: own.function }) }}
    >
      {words}
    </Link>
  );
}
