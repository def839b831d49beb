import { ActionIcon, Button, Text, Title, Tooltip } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowRight, ChevronDown, ChevronRight, Link2, Wrench } from "lucide-react";
import { useState } from "react";
import type { Artifact, ArtifactColumn, ArtifactTable } from "~/api/artifact";
import { labelOf, manifestOf, placeOf, type Manifest } from "~/api/manifest";
import { buildQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { showDone } from "~/components/feedback";
import { useSheetRows } from "~/components/useSheetRows";
import { sampleRange, samplesOf } from "~/logic/changes";
import {
  barToPass,
  byWeight,
  columnAt,
  columnPlace,
  columnVerdict,
  hiddenWords,
  leftOutWords,
  ownRule,
  reshapedWords,
  rowsWords,
  ruleWords,
  scoreWords,
  sheetState,
  tablesOf,
  type PlacedTable,
} from "~/logic/explain";
import { comparable } from "~/logic/headers";
import { counted, signed } from "~/logic/numbers";
import { isTurned, transposedWords } from "~/logic/turned";
import { madeWith } from "../review/ownCorrections";
import { Suggestions } from "./Suggestions";
import classes from "./run.module.css";

const route = getRouteApi("/runs/$runId");
type Transposed = NonNullable<ArtifactTable["transposed"]>;

/** Why each header row and each mapping was chosen, table by table. */
export default function ExplanationTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const tables = tablesOf(artifact);
  const states = artifact.sheets.map((sheet) => [sheet.name, sheetState(sheet)] as const).filter(([, state]) => state);
  const isFailed = artifact.run.failure !== null;
  const search = route.useSearch();
  const opened = search.column ? columnAt(tables, search.column) : null;
  return (
    <>
      {tables.map((placed) => (
        <TableExplanation
          key={placeName(placed)}
          placed={placed}
          isFailed={isFailed}
          run={run}
          manifest={manifest}
          opened={opened}
        />
      ))}
      {states.map(([name, state]) => (
        <Text key={name} c="dimmed">
          {name === null ? "The document" : `Sheet “${name}”`}: {state}.
        </Text>
      ))}
      {tables.length === 0 && run.status === "succeeded" && <WhereToSayIt runId={run.id} />}
    </>
  );
}

function WhereToSayIt({ runId }: { runId: string }) {
  return (
    <Text size="sm" mt="xs">
      If there is a table, say where it is in the{" "}
      <Link className="link" to="/runs/$runId" params={{ runId }} search={{ tab: "review" }}>
        review
      </Link>
      .
    </Text>
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
  /** The address of the column that is open. */
  opened: string | null;
}

function TableExplanation({ placed, isFailed, run, manifest, opened }: Explained) {
  const { sheet, table } = placed;
  const { ref, inViewport } = useInViewport<HTMLElement>();
  const samples = useSheetRows(run.input_document_id, sheet, sampleRange(table), inViewport);
  const leftOut = leftOutWords(table);
  const rows = counted(table.rows.written, "row");
  const state = isFailed ? `${rows}, not written because the run failed` : `${rows} written to “${table.output}”`;
  return (
    <section ref={ref} className={`card ${classes.table}`} aria-label={`Table ${placeName(placed)}`}>
      <div className={classes.tableHead}>
        <Title order={2} size="h4">
          {sheet ?? "The document"} <span className="mono">{table.range}</span>
        </Title>
        <Text size="sm" c="dimmed">
          {table.is_complete ? state : "the run failed here"}
          {leftOut && `; not data: ${leftOut}`}
          {hiddenWords(table.hidden) && `; ${hiddenWords(table.hidden)} of the document included`}
        </Text>
        <Reshaped table={table} />
      </div>
      {table.transposed && <TransposedWhy table={table} transposed={table.transposed} />}
      {!isTurned(table) && <HeaderWhy table={table} />}
      <ColumnTitles />
      {table.columns.map((column) => (
        <ColumnWhy
          key={column.source}
          column={column}
          table={table}
          place={columnPlace(placed, column.source)}
          isOpen={opened === columnPlace(placed, column.source)}
          samples={samplesOf(samples, table, column.source)}
          run={run}
          manifest={manifest}
        />
      ))}
    </section>
  );
}

function Reshaped({ table }: { table: ArtifactTable }) {
  return reshapedWords(table).map((sentence) => (
    <Text key={sentence} size="sm" c="dimmed">
      {sentence}
    </Text>
  ));
}

/** Says that the fields of a table look like rows, why, and what became of it. */
function TransposedWhy({ table, transposed }: { table: ArtifactTable; transposed: Transposed }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.why}>
      <Text>
        {transposedWords(table)}{" "}
        {transposed.decided_by === "evidence" && (
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? "Hide why" : "Why?"}
          </Button>
        )}
      </Text>
      {isOpen && <Bars contributions={transposed.contributions} subject="header" />}
    </div>
  );
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

interface ColumnProps {
  column: ArtifactColumn;
  table: ArtifactTable;
  place: string;
  isOpen: boolean;
  samples: string[];
  run: Run;
  manifest: Manifest | null;
}

function ColumnWhy({ column, table, place, isOpen, samples, run, manifest }: ColumnProps) {
  const navigate = useNavigate({ from: "/runs/$runId" });
  const toggle = (): void =>
    void navigate({
      search: { tab: "explanation", ...(isOpen ? {} : { column: place }) },
      replace: true,
      resetScroll: false,
    });
  return (
    <div className={classes.column}>
      <div className={classes.columnRow}>
        <button type="button" className={classes.columnHead} onClick={toggle} aria-expanded={isOpen}>
          <span className={`mono ${classes.letter}`}>{column.source}</span>
          <span className={classes.source}>
            <span title={column.header}>{column.header || <em>no header</em>}</span>{" "}
            {samples.length > 0 && <small title={samples.join("\n")}>{samples.join(", ")}</small>}
          </span>
          <ArrowRight size={15} aria-label="becomes" />
          {column.target ? (
            <span className={classes.target} title={column.target}>
              {labelOf(manifest, column.target)}
            </span>
          ) : (
            <span className={classes.unmapped}>{column.reason === "ignored" ? "left out" : "not mapped"}</span>
          )}
          <Meter column={column} />
          {isOpen ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
        </button>
        <CorrectLink column={column} run={run} />
      </div>
      {isOpen && <ColumnReasons column={column} table={table} place={place} run={run} manifest={manifest} />}
    </div>
  );
}

/** What is wrong is a mapping; a column without one is only unknown. Both are put right in the review. */
function CorrectLink({ column, run }: { column: ArtifactColumn; run: Run }) {
  const words = column.target === null ? "Give this column a field" : "This column is wrong";
  return (
    <Button
      component={Link}
      {...({ to: "/runs/$runId", params: { runId: run.id }, search: { tab: "review" } } as object)}
      size="compact-sm"
      variant={column.target === null ? "default" : "subtle"}
      color={column.target === null ? undefined : "gray"}
      leftSection={<Wrench size={14} />}
      aria-label={`${words}: ${column.source}`}
    >
      {words}
    </Button>
  );
}

function ColumnReasons({ column, table, place, run, manifest }: Omit<ColumnProps, "isOpen" | "samples">) {
  const share = (): void => {
    const address = `${location.origin}/runs/${run.id}?tab=explanation&column=${encodeURIComponent(place)}`;
    void navigator.clipboard.writeText(address).then(() => showDone("Link copied"));
  };
  return (
    <div className={classes.columnBody}>
      <Text size="sm">
        {columnVerdict(column, (field) => labelOf(manifest, field))}{" "}
        {column.reason === "corrected" && <DecidedLink column={column} run={run} />}
        <Tooltip label="Copy a link to this column">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={share}
            aria-label={`Copy a link to column ${column.source}`}
          >
            <Link2 size={16} />
          </ActionIcon>
        </Tooltip>
      </Text>
      {column.suggestions?.length ? (
        <Suggestions run={run} table={table} column={column} manifest={manifest} />
      ) : (
        column.contributions.length > 0 && (
          <Bars contributions={column.contributions} subject="column" manifest={manifest} run={run} />
        )
      )}
    </div>
  );
}

/** The way to who decided it and when: to the review of this document, or to the corrections of the configuration. */
function DecidedLink({ column, run }: { column: ArtifactColumn; run: Run }) {
  const isOwn = madeWith(run).some(
    (one) =>
      (one.kind === "header" && comparable(one.header) === comparable(column.header)) ||
      (one.kind === "column" && one.column === column.source),
  );
  if (isOwn)
    return (
      <Link to="/runs/$runId" params={{ runId: run.id }} search={{ tab: "review" }} className="link">
        Corrections of this document
      </Link>
    );
  return (
    <Link
      to="/configurations/$configurationId"
      params={{ configurationId: run.configuration_id }}
      hash="corrections"
      className="link"
    >
      Corrections of the configuration
    </Link>
  );
}

/** The score against the mark it had to pass. */
function Meter({ column }: { column: ArtifactColumn }) {
  const score = column.score ?? column.runner_up?.score ?? 0;
  const bar = barToPass(column) ?? 0.5;
  const full = Math.max(2, score, bar);
  return (
    <span className={classes.meter}>
      <span className={classes.meterBar}>
        <span
          style={{ display: "block", width: `${(Math.max(0, score) / full) * 100}%` }}
          className={classes.meterFill}
          data-low={column.target === null || undefined}
        />
        <span className={classes.meterMark} style={{ left: `${(bar / full) * 100}%` }} />
      </span>
      <span className="num">{scoreWords(column)}</span>
    </span>
  );
}

/** Signed bars: to the right the evidence for it, to the left the evidence against it. */
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
  // Without evidence against it, the bars begin next to their labels.
  const origin = contributions.some((one) => one.delta < 0) ? 50 : 0;
  return (
    <div className={classes.bars} role="list" aria-label="Contributions">
      {byWeight(contributions).map((one) => {
        const share = (Math.abs(one.delta) / largest) * (100 - origin);
        return (
          <div key={one.rule} role="listitem" style={{ display: "contents" }}>
            <span title={one.rule}>
              <RuleName rule={one.rule} subject={subject} manifest={manifest} run={run} />
            </span>
            <span className={classes.bar} data-positive={origin === 0 || undefined} aria-hidden>
              <i
                data-negative={one.delta < 0 || undefined}
                style={
                  one.delta < 0 ? { right: "50%", width: `${share}%` } : { left: `${origin}%`, width: `${share}%` }
                }
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
  const words = ruleWords(rule, subject, (field) => labelOf(manifest, field));
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

function ColumnTitles() {
  return (
    <div className={`${classes.columnRow} ${classes.columnTitles}`} aria-hidden>
      <div className={classes.columnHead}>
        <span />
        <span>Column of the sheet</span>
        <span />
        <span>Field</span>
        <span className={classes.scored}>Score</span>
        <span />
      </div>
      <span />
    </div>
  );
}
