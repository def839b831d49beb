import { Button, Group, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FileUp, Sparkles } from "lucide-react";
import { useRef } from "react";
import { submitRuns, uploadBytes } from "~/api/actions";
import { onFirstClick, useOnce } from "~/api/once";
import { configurationsQuery, overviewQuery, queueQuery, recentRunsQuery } from "~/api/queries";
import type { Overview } from "~/api/types";
import { errorOf, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { count, counted } from "~/logic/numbers";
import { NORMAL } from "~/logic/priority";
import { useUploads } from "~/shell/upload/UploadProvider";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { FORMAT_WORDS } from "~/logic/formats";
import sample from "../../../../samples/members_list.xlsx?url";
import { ProposalsLink } from "../proposals/ProposalsLink";
import { PauseBanner } from "../queue/PauseBanner";
import { FirstSteps } from "./FirstSteps";
import classes from "./HomePage.module.css";

/** Runs worth attention: not tests of drafts, nor cancelled ones. */
const RECENT = { is_test: false, status: ["queued", "running", "succeeded", "failed"] };

export default function HomePage() {
  usePageTitle("");
  const { workspace } = useWorkspace();
  const runs = useQuery(recentRunsQuery(workspace.id, RECENT, 12));
  const isNew = runs.data?.items.length === 0;
  return (
    <>
      <Pauses />
      <DropZone isNew={isNew} />
      {errorOf(runs) && <ErrorPanel error={errorOf(runs)} onAgain={() => void runs.refetch()} />}
      {!isNew && <ProposalsLink />}
      {isNew ? <FirstSteps /> : <Tiles />}
      {runs.isPending && (
        <div className="card">
          <RowsSkeleton />
        </div>
      )}
      {runs.data && !isNew && (
        <>
          <Group justify="space-between" mb="sm" mt="lg">
            <Title order={2} size="h4">
              Recent runs
            </Title>
            <Link to="/runs" className="link">
              All runs
            </Link>
          </Group>
          <RunTable runs={runs.data.items} label="Recent runs" />
        </>
      )}
    </>
  );
}

function DropZone({ isNew }: { isNew: boolean }) {
  const uploads = useUploads();
  const forbidden = useForbidden("operator");
  return (
    <section className={classes.zone} data-new={isNew || undefined} aria-label="Upload">
      <div className={classes.zoneIcon}>
        <FileUp size={isNew ? 32 : 24} aria-hidden />
      </div>
      <div className={classes.zoneWords}>
        <Title order={1} size={isNew ? "h2" : "h4"}>
          {isNew ? "Messy spreadsheets in, clean workbooks out" : "Drop spreadsheets anywhere on this page"}
        </Title>
        <Text c="dimmed" size={isNew ? "md" : "sm"}>
          {isNew
            ? "Drop spreadsheets anywhere on this page. Every table, column and value that changes is explained."
            : `${FORMAT_WORDS}, as many as you like`}
        </Text>
      </div>
      <Group gap="sm" className={classes.zoneActions}>
        <Button
          onClick={uploads.choose}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
          leftSection={<FileUp size={16} />}
          size={isNew ? "md" : "sm"}
        >
          Choose files
        </Button>
        <SampleButton size={isNew ? "md" : "sm"} />
      </Group>
    </section>
  );
}

function SampleButton({ size }: { size: string }) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const forbidden = useForbidden("operator");
  const configurations = useQuery(configurationsQuery(workspace.id)).data?.items;
  const published = configurations?.find((one) => one.published_version !== null);
  // Kept, so that another try runs the same document.
  const uploaded = useRef<{ key: string; id: string } | null>(null);
  const runSample = useOnce(async (key, configurationId: string) => {
    if (uploaded.current?.key !== key) {
      const content = await (await fetch(sample)).blob();
      const { id } = await uploadBytes(workspace.id, "members list.xlsx", content);
      uploaded.current = { key, id };
    }
    const [run] = await submitRuns(key, { configurationId, documentIds: [uploaded.current.id], priority: NORMAL });
    return run;
  });
  const start = useMutation({
    mutationFn: () => runSample(published?.id ?? ""),
    onSuccess: (run) => run && void navigate({ to: "/runs/$runId", params: { runId: run.id } }),
  });
  const why = forbidden ?? (configurations && !published ? "Publish a configuration first" : null);
  return (
    <div>
      <Button
        variant="default"
        size={size}
        leftSection={<Sparkles size={16} />}
        loading={start.isPending}
        disabled={!configurations || why !== null}
        title={why ?? undefined}
        onClick={onFirstClick(() => start.mutate())}
      >
        Run the sample
      </Button>
      {start.error && <ErrorPanel error={start.error} />}
    </div>
  );
}

/** Why nothing starts, where a person would first wonder. */
function Pauses() {
  const { workspace } = useWorkspace();
  const pauses = useQuery(queueQuery).data?.pauses ?? [];
  const ours = pauses.filter(
    ({ scope, value }) => scope === "all" || (scope === "workspace" && value === workspace.id),
  );
  return ours.map((pause) => <PauseBanner key={pause.id} pause={pause} />);
}

function Tiles() {
  const { workspace } = useWorkspace();
  const overview = useQuery(overviewQuery(workspace.id));
  const capacity = useQuery(queueQuery).data?.capacity;
  const found = overview.data;
  if (errorOf(overview)) return <ErrorPanel error={errorOf(overview)} onAgain={() => void overview.refetch()} />;
  return (
    <div className={classes.tiles}>
      <Tile
        search={{ status: "running" }}
        label="Running"
        value={found?.running_count}
        note={capacity ? `of ${counted(capacity.slots, "slot")}` : ""}
      />
      <Tile
        search={{ status: "queued" }}
        label="Waiting"
        value={found?.queued_count}
        note={capacity ? `of ${count(capacity.queued_count)} in the queue` : ""}
      />
      <Results found={found} />
    </div>
  );
}

/** What the newest runs of the documents came to. */
function Results({ found }: { found: Overview | undefined }) {
  const documents = found ? `of ${counted(found.document_count, "document")}` : "";
  return (
    <>
      <Tile
        search={{ only: "newest", verdict: "check" }}
        label="To check"
        value={found?.check_count}
        note={found ? `${count(found.ready_count)} ready` : ""}
      />
      <Tile
        search={{ only: "newest", verdict: "not_usable" }}
        label="Not usable"
        value={found?.not_usable_count}
        note={documents}
        isBad={(found?.not_usable_count ?? 0) > 0}
      />
      <Tile
        search={{ only: "newest", issues: "some" }}
        label="Issues found"
        value={found?.issue_count}
        note={found ? `in ${count(found.with_issues_count)} of ${counted(found.document_count, "document")}` : ""}
      />
      <Tile
        search={{ only: "newest", status: "failed" }}
        label="Failed"
        value={found?.failed_count}
        note={documents}
        isBad={(found?.failed_count ?? 0) > 0}
      />
    </>
  );
}

/** A number, and the way to the runs that it counts. */
function Tile({
  search,
  label,
  value,
  note,
  isBad,
}: {
  search: { status?: string; verdict?: string; only?: string; issues?: string };
  label: string;
  value: number | undefined;
  note: string;
  isBad?: boolean;
}) {
  return (
    <Link to="/runs" search={search} className={`card ${classes.tile}`}>
      <span className={classes.tileLabel}>{label}</span>
      <span className={`num ${classes.tileValue}`} data-bad={isBad || undefined}>
        {value === undefined ? "–" : count(value)}
      </span>
      <span className={classes.tileNote}>{note}</span>
    </Link>
  );
}
