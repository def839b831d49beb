import { Button, Group, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FileUp, Sparkles } from "lucide-react";
import { submitRuns, uploadBytes } from "~/api/actions";
import { configurationsQuery, queueQuery, recentRunsQuery } from "~/api/queries";
import { errorOf, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { usePageTitle } from "~/components/PageHead";
import { issueCountOf, RunTable } from "~/components/RunTable";
import { count, counted } from "~/logic/numbers";
import { NORMAL } from "~/logic/priority";
import { useUploads } from "~/shell/upload/UploadProvider";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import sample from "../../../../samples/members_list.xlsx?url";
import { FirstSteps } from "./FirstSteps";
import classes from "./HomePage.module.css";

export default function HomePage() {
  usePageTitle("");
  const { workspace } = useWorkspace();
  const runs = useQuery(recentRunsQuery(workspace.id, {}, 12));
  const isNew = runs.data?.items.length === 0;
  return (
    <>
      <DropZone isNew={isNew} />
      {errorOf(runs) && <ErrorPanel error={errorOf(runs)} onAgain={() => void runs.refetch()} />}
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
            : "xlsx, xlsm, xlsb, xls, ods, csv or tsv, as many as you like"}
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
  const start = useMutation({
    mutationFn: async () => {
      const content = await (await fetch(sample)).blob();
      const document = await uploadBytes(workspace.id, "members list.xlsx", content);
      const [run] = await submitRuns(published?.id ?? "", [document.id], NORMAL);
      return run;
    },
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
        onClick={() => start.mutate()}
      >
        Run the sample
      </Button>
      {start.error && <ErrorPanel error={start.error} />}
    </div>
  );
}

function Tiles() {
  const { workspace } = useWorkspace();
  const queue = useQuery(queueQuery).data;
  const recent = useQuery(recentRunsQuery(workspace.id, {}, 100)).data?.items ?? [];
  const finished = recent.filter((run) => run.finished_at);
  const failed = finished.filter((run) => run.status === "failed").length;
  const issues = finished.reduce((sum, run) => sum + (issueCountOf(run) ?? 0), 0);
  const capacity = queue?.capacity;
  return (
    <div className={classes.tiles}>
      <Tile
        to="/queue"
        label="Running"
        value={capacity ? count(capacity.running_count) : "–"}
        note={capacity ? `of ${count(capacity.slots)} slots` : ""}
      />
      <Tile to="/queue" label="Waiting" value={capacity ? count(capacity.queued_count) : "–"} note="in the queue" />
      <Tile to="/runs" label="Issues found" value={count(issues)} note={`in ${counted(finished.length, "run")}`} />
      <Tile
        to="/runs"
        label="Failed"
        value={count(failed)}
        note={`of ${counted(finished.length, "run")}`}
        isBad={failed > 0}
      />
    </div>
  );
}

function Tile({
  to,
  label,
  value,
  note,
  isBad,
}: {
  to: "/queue" | "/runs";
  label: string;
  value: string;
  note: string;
  isBad?: boolean;
}) {
  return (
    <Link to={to} search={isBad ? { status: "failed" } : {}} className={`card ${classes.tile}`}>
      <span className={classes.tileLabel}>{label}</span>
      <span className={`num ${classes.tileValue}`} data-bad={isBad || undefined}>
        {value}
      </span>
      <span className={classes.tileNote}>{note}</span>
    </Link>
  );
}
