import { Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CirclePause, CircleX, Loader as LoaderIcon, Lock, ServerOff } from "lucide-react";
import { api } from "~/api/client";
import { healthQuery, workersQuery, type ServerHealth } from "~/api/operationQueries";
import { runQuery } from "~/api/queries";
import type { Worker } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { Took } from "~/components/RunTable";
import { ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { bytes, counted } from "~/logic/numbers";
import { useForbidden } from "~/shell/workspace";
import classes from "./WorkersPage.module.css";

/** The workers, their health, and whether the server has what it needs. */
export default function WorkersPage() {
  usePageTitle("Workers");
  const forbidden = useForbidden("operator");
  const workers = useQuery({ ...workersQuery, enabled: forbidden === null });
  const items = workers.data?.items ?? [];
  const atWork = items.filter((worker) => worker.stopped_at === null);
  return (
    <Stack gap="lg">
      <PageHead title="Workers" note="Processes that claim runs and builds and execute them" />
      {errorOf(workers) && <ErrorPanel error={errorOf(workers)} onAgain={() => void workers.refetch()} />}
      {forbidden && (
        <div className="card">
          <Empty icon={<Lock aria-hidden />} title="Only operators see workers">
            {forbidden}
          </Empty>
        </div>
      )}
      {workers.isPending && forbidden === null && (
        <div className="card">
          <RowsSkeleton rows={3} />
        </div>
      )}
      {workers.data && atWork.length === 0 && (
        <div className="card">
          <Empty icon={<ServerOff aria-hidden />} title="No worker is running">
            Start one on this machine, or on any other that reaches the database: <Code>ade worker</Code>
          </Empty>
        </div>
      )}
      <div className={classes.cards}>
        {atWork.map((worker) => (
          <WorkerCard key={worker.id} worker={worker} />
        ))}
      </div>
      <Health workers={workers.data ? atWork.filter((worker) => worker.is_alive) : null} />
    </Stack>
  );
}

function WorkerCard({ worker }: { worker: Worker }) {
  return (
    <section className={`card ${classes.card}`} aria-label={`Worker ${worker.name}`}>
      <Group justify="space-between">
        <strong>{worker.name}</strong>
        <State worker={worker} />
      </Group>
      <Slots worker={worker} />
      {worker.idle_reason && <Text size="sm">{worker.idle_reason}</Text>}
      <WorkerFacts worker={worker} />
      {worker.running.length > 0 && (
        <ul className={classes.running} aria-label="At work on">
          {worker.running.map((run) => (
            <li key={run}>
              <RunningRun id={run} />
            </li>
          ))}
        </ul>
      )}
      <Group justify="flex-end">
        <DrainButton worker={worker} />
      </Group>
    </section>
  );
}

/** How much the disk of a worker's files still takes. */
function freeDisk({ details }: Worker): string | null {
  const free = details.free_disk_mb;
  return typeof free === "number" ? bytes(free * 1024 * 1024) : null;
}

function freeByHost(workers: Worker[]): Map<string, string> {
  return new Map(workers.map((one) => [one.host, freeDisk(one) ?? "an unknown amount"]));
}

/** How far the live workers shut rules in: "full on 2 workers". */
function sandboxWords(workers: Worker[]): string {
  const levels = new Map<string, number>();
  for (const { isolation } of workers) {
    const level = isolation ?? "not measured yet";
    levels.set(level, (levels.get(level) ?? 0) + 1);
  }
  return [...levels].map(([level, many]) => `${level} on ${counted(many, "worker")}`).join(", ") || "not known";
}

/** A run by the name of its document; by its id to those who may not see it. */
function RunningRun({ id }: { id: string }) {
  const run = useQuery({ ...runQuery(id), retry: false }).data;
  return (
    <>
      <LoaderIcon size={14} aria-hidden />
      <Link to="/runs/$runId" params={{ runId: id }} className="link">
        {run?.document_name ?? <span className="mono">run {id.slice(-12)}</span>}
      </Link>
      {run && (
        <span className={classes.for}>
          {run.configuration_name}, for <Took run={run} />
        </span>
      )}
    </>
  );
}

function State({ worker }: { worker: Worker }) {
  if (!worker.is_alive) return <ToneBadge label="Silent" tone="bad" icon={CircleX} />;
  if (worker.drain_requested_at) return <ToneBadge label="Draining" tone="warn" icon={CirclePause} />;
  if (worker.idle_reason) return <ToneBadge label="Claims nothing" tone="warn" icon={CircleAlert} />;
  if (worker.running.length === 0) return <ToneBadge label="Idle" tone="quiet" icon={CircleCheck} />;
  return <ToneBadge label="At work" tone="busy" icon={CircleCheck} />;
}

/** How the server is, and as far as they are known, its workers. */
function Health({ workers }: { workers: Worker[] | null }) {
  const health = useQuery(healthQuery);
  return (
    <section aria-label="Health">
      <Title order={2} size="h4" mb="sm">
        Health
      </Title>
      {errorOf(health) && <ErrorPanel error={errorOf(health)} onAgain={() => void health.refetch()} />}
      {health.data && <HealthFacts health={health.data} workers={workers} />}
      <Text size="sm" c="dimmed" mt="xs">
        <Code>ade doctor</Code> on the machine itself checks disk, settings and sandbox in detail.
      </Text>
    </section>
  );
}

function WorkerFacts({ worker }: { worker: Worker }) {
  const facts = Object.entries(worker.details).filter(
    ([name, value]) => name !== "free_disk_mb" && (typeof value === "string" || typeof value === "number"),
  );
  return (
    <dl className={classes.facts}>
      <dt>Heartbeat</dt>
      <dd>
        <Time at={worker.heartbeat_at} />
      </dd>
      <dt>Started</dt>
      <dd>
        <Time at={worker.started_at} />
      </dd>
      <dt>Host</dt>
      <dd>
        {worker.host}, process {worker.process_id}
      </dd>
      <dt>Version</dt>
      <dd>{worker.version}</dd>
      <dt>Free disk</dt>
      <dd>{freeDisk(worker) ?? "not measured yet"}</dd>
      <dt>Isolation</dt>
      <dd>{worker.isolation ?? "not measured yet"}</dd>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ")}</dt>
          <dd>{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Slots({ worker }: { worker: Worker }) {
  return (
    <div
      className={classes.slots}
      role="meter"
      aria-label="Slots in use"
      aria-valuenow={worker.running.length}
      aria-valuemin={0}
      aria-valuemax={worker.slots}
    >
      {Array.from({ length: Math.min(worker.slots, 64) }, (_, index) => (
        <i key={index} data-busy={index < worker.running.length || undefined} />
      ))}
      <span className="num">
        {worker.running.length} of {worker.slots} slots
      </span>
    </div>
  );
}

function DrainButton({ worker }: { worker: Worker }) {
  const client = useQueryClient();
  const forbidden = useForbidden("admin");
  const drain = useMutation({
    mutationFn: () => api.post(`/workers/${worker.id}/drain`),
    onSuccess: () => client.invalidateQueries({ queryKey: ["workers"] }),
    onError: showProblem,
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={drain.isPending}
      disabled={forbidden !== null || worker.drain_requested_at !== null}
      title={forbidden ?? "It finishes its runs, claims no others, and stops"}
      onClick={() => drain.mutate()}
    >
      {worker.drain_requested_at ? "Draining" : "Drain"}
    </Button>
  );
}

function HealthFacts({ health, workers }: { health: ServerHealth; workers: Worker[] | null }) {
  const { warnings } = health;
  return (
    <dl className={`card ${classes.facts} ${classes.health}`}>
      <dt>Server</dt>
      <dd>
        <ToneBadge label="Ready" tone="quiet" icon={CircleCheck} /> version {health.version}
      </dd>
      <dt>Database</dt>
      <dd>{health.database}</dd>
      <dt>Schema</dt>
      <dd>
        <ToneBadge label="Current" tone="quiet" icon={CircleCheck} /> step {health.schema_revision}
      </dd>
      <dt>Files and database</dt>
      <dd>
        {warnings.length === 0 && <ToneBadge label="No warnings" tone="quiet" icon={CircleCheck} />}
        {warnings.map((warning) => (
          <div key={warning}>
            <ToneBadge label="Warning" tone="warn" icon={CircleAlert} /> {warning}
          </div>
        ))}
      </dd>
      {workers && (
        <>
          <dt>Disk</dt>
          <dd>
            <Disk workers={workers} />
          </dd>
          <dt>Sandbox</dt>
          <dd>{sandboxWords(workers)}</dd>
        </>
      )}
    </dl>
  );
}

/** Whether the workers have room for their files. */
function Disk({ workers }: { workers: Worker[] }) {
  return (
    <>
      {workers
        .filter((one) => one.idle_reason)
        .map((one) => (
          <div key={one.id}>
            <ToneBadge label={one.name} tone="warn" icon={CircleAlert} /> {one.idle_reason}
          </div>
        ))}
      {workers.length === 0 && "not known: no worker is at work"}
      {workers.length > 0 && workers.every((one) => !one.idle_reason) && (
        <>
          <ToneBadge label="Enough room" tone="quiet" icon={CircleCheck} /> for the files of{" "}
          {counted(workers.length, "worker")}
          {[...freeByHost(workers)].map(([host, free]) => (
            <div key={host}>{`${free} free on ${host}`}</div>
          ))}
        </>
      )}
    </>
  );
}
