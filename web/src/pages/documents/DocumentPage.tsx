import { Button, Group, Select, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Download, Play, SlidersHorizontal } from "lucide-react";
import { useMemo, useState } from "react";
import type { Artifact } from "~/api/artifact";
import { addressOf } from "~/api/client";
import { artifactQuery, documentQuery, recentRunsQuery } from "~/api/queries";
import type { Document, Run } from "~/api/types";
import { CellGrid } from "~/components/CellGrid";
import { BackLink } from "~/components/BackLink";
import { errorOf, PageProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { Time } from "~/components/Time";
import { cellName, type Cell } from "~/logic/a1";
import { absoluteTime } from "~/logic/time";
import { bytes, counted } from "~/logic/numbers";
import { versionName } from "~/logic/runs";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import classes from "./DocumentPage.module.css";
import { EncodingSelect } from "./EncodingSelect";
import { useLinkedCell } from "./linkedCell";
import { RunModal } from "./RunModal";
import { useIssueMarks } from "./useIssueMarks";
import { Inspector } from "./Inspector";

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
      <Stack role="progressbar" aria-busy="true" aria-label="Loading">
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
      <DocumentHead document={document} onRun={() => setRunning(true)} />
      {isRunning && <RunModal documents={[document]} onClose={() => setRunning(false)} />}
      <ViewBar document={document} sheet={sheet} seen={seen} runId={runId} hasMarks={artifact !== null} keep={keep} />
      <LinkNote note={linked.note} />
      <SheetView
        document={document}
        sheetIndex={sheet?.index ?? 0}
        sheetName={sheet?.name ?? null}
        artifact={artifact}
        chosen={linked.cell}
        onChoose={(cell) => keep({ cell: cellName(cell) })}
        runId={runId}
      />
      {runs.length > 0 && <RunsOfDocument runs={runs} />}
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
        label: `${run.configuration_name} ${versionName(run)}, ${index === 0 ? "newest" : absoluteTime(new Date(run.created_at))}`,
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

function DocumentHead({ document, onRun }: { document: Document; onRun: () => void }) {
  const forbidden = useForbidden("operator");
  return (
    <PageHead
      before={<BackLink to="/documents" label="Documents" />}
      title={document.name}
      note={<DocumentNote document={document} />}
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
        variant="default"
        leftSection={<SlidersHorizontal size={16} />}
        renderRoot={(props) => <Link to="/configurations/new" search={{ document: document.id }} {...props} />}
      >
        Make a configuration
      </Button>
      <Button
        leftSection={<Play size={16} />}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={onRun}
      >
        Run
      </Button>
    </PageHead>
  );
}

function DocumentNote({ document }: { document: Document }) {
  return (
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
  );
}

interface SheetTabsProps {
  sheets: Document["sheets"];
  chosen: number;
  onChoose: (name: string | undefined) => void;
}

function SheetTabs({ sheets, chosen, onChoose }: SheetTabsProps) {
  return (
    <Tabs
      value={String(chosen)}
      onChange={(value) => onChoose(sheets.find((one) => String(one.index) === value)?.name ?? undefined)}
      variant="pills"
    >
      <Tabs.List aria-label="Sheets">
        {sheets.map((one) => (
          <Tabs.Tab key={one.index} value={String(one.index)}>
            {one.name ?? "Sheet"}
            {one.visibility !== "visible" && " (hidden)"}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}

function RunsOfDocument({ runs }: { runs: Run[] }) {
  return (
    <>
      <Text fw={650} mt="xl" mb="sm" component="h2" size="lg">
        Runs of this document
      </Text>
      <RunTable runs={runs} label="Runs of this document" isOfOneDocument />
    </>
  );
}

function LinkNote({ note }: { note: string | null }) {
  if (!note) return null;
  return (
    <Text size="sm" c="dimmed" mb="xs" role="status">
      {note}
    </Text>
  );
}

type Search = ReturnType<typeof route.useSearch>;

interface BarProps {
  document: Document;
  sheet: Document["sheets"][number] | undefined;
  seen: Run[];
  runId: string | null;
  hasMarks: boolean;
  keep: (part: Partial<Search>) => void;
}

/** Which sheet, in which encoding, with the marks of which run. */
function ViewBar({ document, sheet, seen, runId, hasMarks, keep }: BarProps) {
  return (
    <Group mb="sm" gap="sm">
      {document.sheets.length > 1 && (
        <SheetTabs
          sheets={document.sheets}
          chosen={sheet?.index ?? 0}
          onChoose={(name) => keep({ sheet: name, cell: undefined } as Partial<Search>)}
        />
      )}
      {sheet?.name === null && <EncodingSelect document={document} />}
      {hasMarks && <Legend />}
      <span style={{ flex: 1 }} />
      {seen.length > 0 && <RunChoice runs={seen} chosen={runId} onChoose={(run) => keep({ run })} />}
    </Group>
  );
}
