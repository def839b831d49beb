import { Button, Group, Select, Skeleton, Stack, Tabs, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Download, Link2, Play } from "lucide-react";
import { useMemo, useState } from "react";
import type { Artifact, Issue } from "~/api/artifact";
import { addressOf } from "~/api/client";
import { artifactQuery, cellsQuery, documentQuery, recentRunsQuery } from "~/api/queries";
import type { Document, Run } from "~/api/types";
import { CellGrid } from "~/components/CellGrid";
import { BackLink } from "~/components/BackLink";
import { errorOf, PageProblem, showDone } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { SeverityBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { cellName, parseRange, rangeName, type Cell } from "~/logic/a1";
import { cellText } from "~/logic/changes";
import { columnPlace, meaningOf } from "~/logic/explain";
import { absoluteTime } from "~/logic/time";
import { bytes, counted } from "~/logic/numbers";
import { withMod } from "~/logic/platform";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import classes from "./DocumentPage.module.css";
import { EncodingSelect } from "./EncodingSelect";
import { useLinkedCell } from "./linkedCell";
import { RunModal } from "./RunModal";
import { useIssueMarks } from "./useIssueMarks";

const route = getRouteApi("/documents/$documentId");

export default function DocumentPage() {
  const { documentId } = route.useParams();
  const document = useQuery(documentQuery(documentId));
  usePageTitle(document.data?.name ?? "Document");
  if (errorOf(document))
    return (
      <PageProblem
        error={errorOf(document)}
        onAgain={() => void document.refetch()}
        back={<BackLink to="/documents" label="All documents" />}
      />
    );
  if (!document.data)
    return (
      <Stack aria-busy="true" aria-label="Loading">
        <Skeleton height={34} width="40%" />
        <Skeleton height={480} radius="md" />
      </Stack>
    );
  return <DocumentView key={document.data.id} document={document.data} />;
}

function DocumentView({ document }: { document: Document }) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/documents/$documentId" });
  const forbidden = useForbidden("operator");
  const [isRunning, setRunning] = useState(false);
  const runs = useQuery(recentRunsQuery(workspace.id, { document_id: document.id }, 50)).data?.items ?? [];
  const seen = runs.filter((run) => run.status === "succeeded");
  const runId = search.run ?? seen[0]?.id ?? null;
  const artifact = useQuery({ ...artifactQuery(runId ?? ""), enabled: runId !== null }).data ?? null;
  const sheet = document.sheets.find((one) => one.name === search.sheet) ?? document.sheets[0];
  const linked = useLinkedCell(`/documents/${document.id}`, sheet?.index ?? 0, search.cell);
  const keep = (part: Partial<typeof search>): void =>
    void navigate({ search: { ...search, ...part }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead
        before={<BackLink to="/documents" label="Documents" />}
        title={document.name}
        note={
          <>
            {bytes(document.size_bytes)} · {counted(document.sheets.length, "sheet")} · uploaded{" "}
            <Time at={document.created_at} />
            {document.created_by && ` by ${document.created_by}`}
            {document.tags.length > 0 && (
              <span className={classes.tags}>
                {document.tags.map((tag) => (
                  <Link key={tag} to="/documents" search={{ tag }} className="chip">
                    {tag}
                  </Link>
                ))}
              </span>
            )}
          </>
        }
      >
        <Button
          component="a"
          variant="default"
          leftSection={<Download size={16} />}
          href={addressOf(`/documents/${document.id}/content`)}
          download
        >
          Download
        </Button>
        <Button
          leftSection={<Play size={16} />}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
          onClick={() => setRunning(true)}
        >
          Run
        </Button>
      </PageHead>
      {isRunning && <RunModal documents={[document]} onClose={() => setRunning(false)} />}
      <Group mb="sm" gap="sm">
        {document.sheets.length > 1 && (
          <Tabs
            value={String(sheet?.index ?? 0)}
            onChange={(value) =>
              keep({
                sheet: document.sheets.find((one) => String(one.index) === value)?.name ?? undefined,
                cell: undefined,
              } as Partial<typeof search>)
            }
            variant="pills"
          >
            <Tabs.List aria-label="Sheets">
              {document.sheets.map((one) => (
                <Tabs.Tab key={one.index} value={String(one.index)}>
                  {one.name ?? "Sheet"}
                  {one.visibility !== "visible" && " (hidden)"}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        )}
        {sheet?.name === null && <EncodingSelect document={document} />}
        {artifact && <Legend />}
        <span style={{ flex: 1 }} />
        {seen.length > 0 && <RunChoice runs={seen} chosen={runId} onChoose={(run) => keep({ run })} />}
      </Group>
      {linked.note && (
        <Text size="sm" c="dimmed" mb="xs" role="status">
          {linked.note}
        </Text>
      )}
      <SheetView
        document={document}
        sheetIndex={sheet?.index ?? 0}
        sheetName={sheet?.name ?? null}
        artifact={artifact}
        chosen={linked.cell}
        onChoose={(cell) => keep({ cell: cellName(cell) })}
        runId={runId}
      />
      {runs.length > 0 && (
        <>
          <Text fw={650} mt="xl" mb="sm" component="h2" size="lg">
            Runs of this document
          </Text>
          <RunTable runs={runs} label="Runs of this document" isOfOneDocument />
        </>
      )}
    </>
  );
}

function RunChoice({ runs, chosen, onChoose }: { runs: Run[]; chosen: string | null; onChoose: (id: string) => void }) {
  return (
    <Select
      size="xs"
      w={420}
      maw="100%"
      label="Marks from the run"
      classNames={{ root: classes.runChoice }}
      leftSection={<Play size={13} aria-hidden />}
      allowDeselect={false}
      data={runs.map((run, index) => ({
        value: run.id,
        label: `${run.configuration_name} ${run.is_test ? "draft" : `v${run.version}`}, ${index === 0 ? "newest" : absoluteTime(new Date(run.created_at))}`,
      }))}
      value={chosen}
      onChange={(value) => value && onChoose(value)}
    />
  );
}

interface SheetProps {
  document: Document;
  sheetIndex: number;
  sheetName: string | null;
  artifact: Artifact | null;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
  runId: string | null;
}

function SheetView({ document, sheetIndex, sheetName, artifact, chosen, onChoose, runId }: SheetProps) {
  const tables = useMemo(
    () => artifact?.sheets.find((sheet) => sheet.name === sheetName)?.tables ?? [],
    [artifact, sheetName],
  );
  const { issues, setRows } = useIssueMarks(artifact, runId, sheetName);
  return (
    <>
      <CellGrid
        source={`/documents/${document.id}`}
        sheet={sheetIndex}
        tables={tables}
        issues={issues}
        chosen={chosen}
        onChoose={onChoose}
        onRows={setRows}
      />
      <Inspector
        document={document}
        sheetIndex={sheetIndex}
        artifact={artifact}
        sheetName={sheetName}
        chosen={chosen}
        issues={issues}
        runId={runId}
      />
    </>
  );
}

function Legend() {
  return (
    <div className={classes.legend} aria-label="Legend">
      <span data-kind="table">table</span>
      <span data-kind="header">header</span>
      <span data-kind="skipped">left out</span>
      <span data-kind="issue">issue</span>
    </div>
  );
}

/** What the chosen cell holds, and what the run made of it. */
function Inspector({
  document,
  sheetIndex,
  artifact,
  sheetName,
  chosen,
  issues,
  runId,
}: Omit<SheetProps, "onChoose"> & { issues: Map<string, Issue[]> }) {
  const range = chosen
    ? rangeName({ firstRow: chosen.row, lastRow: chosen.row, firstColumn: chosen.column, lastColumn: chosen.column })
    : "A1:A1";
  const cells = useQuery({
    ...cellsQuery(`/documents/${document.id}`, sheetIndex, range),
    enabled: chosen !== null,
  }).data;
  if (!chosen)
    return (
      <div className={classes.inspector}>
        Choose a cell to see what it holds and what became of it. Shift chooses a range, {withMod("C")} copies it.
      </div>
    );
  const tables = artifact?.sheets.find((sheet) => sheet.name === sheetName)?.tables ?? [];
  const meaning = meaningOf(tables, chosen);
  const name = cellName(chosen);
  const value = cells?.rows[0]?.cells[0] ?? null;
  const share = (): void => void navigator.clipboard.writeText(location.href).then(() => showDone("Link copied"));
  const place = meaning?.column && columnPlace({ sheet: sheetName, table: meaning.table }, meaning.column.source);
  return (
    <div className={classes.inspector} role="status">
      <strong className="mono">{name}</strong>
      <span className={classes.value}>{cellText(value) || (cells ? <em>empty</em> : "…")}</span>
      {value && <span className={classes.kind}>{value.type}</span>}
      {meaning && (
        <span>
          {meaning.part === "header" ? "header" : meaning.part === "data" ? "data" : `${meaning.part} row, left out`}
          {meaning.column && meaning.part !== "title" && (
            <>
              {" of "}
              {runId && place ? (
                <Link
                  className="link"
                  to="/runs/$runId"
                  params={{ runId }}
                  search={{ tab: "explanation", column: place }}
                >
                  {meaning.column.target ?? "an unmapped column"}
                </Link>
              ) : (
                (meaning.column.target ?? "an unmapped column")
              )}
            </>
          )}
          {" · "}
          {tableSpot(meaning.table.range, chosen)}
        </span>
      )}
      {(issues.get(name) ?? []).map((issue) => (
        <span key={issue.rule}>
          <SeverityBadge severity={issue.severity} /> {issue.message}
        </span>
      ))}
      <span style={{ flex: 1 }} />
      <Tooltip label="Copy a link to this cell">
        <button type="button" className={classes.share} onClick={share} aria-label={`Copy a link to ${name}`}>
          <Link2 size={16} />
        </button>
      </Tooltip>
    </div>
  );
}

function tableSpot(name: string, cell: Cell): string {
  const range = parseRange(name);
  const isBeyond = range !== null && (cell.row < range.firstRow || cell.row > range.lastRow);
  return `${isBeyond ? "beside" : "in"} table ${name}`;
}
