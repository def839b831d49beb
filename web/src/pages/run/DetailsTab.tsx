import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Run } from "~/api/types";
import { PriorityBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { bytes } from "~/logic/numbers";
import { duration } from "~/logic/time";
import classes from "./run.module.css";

const ISOLATION: Record<string, string> = {
  isolated: "isolated: own namespaces, kernel rules, limits",
  confined: "confined: kernel rules on files and calls, limits",
  guarded: "guarded: some kernel rules, limits",
  limits: "limits only",
  open: "open: nothing kept it in",
};

const STEPS = ["fetch", "prepare", "execute", "collect"];

/** The steps as they happen; a database may give them in another order. */
function inOrder(steps: Record<string, number>): [string, number][] {
  const place = (name: string): number => (STEPS.includes(name) ? STEPS.indexOf(name) : STEPS.length);
  return Object.entries(steps).sort(([one], [other]) => place(one) - place(other));
}

/** Everything else that is known of a run. */
export default function DetailsTab({ run }: { run: Run }) {
  const facts = [...identity(run), ...times(run), ...execution(run), ...usage(run)];
  if (run.plan_id) facts.push(["Plan", `${run.plan_id}, phase ${run.phase}`]);
  return (
    <dl className={`card ${classes.details}`}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Fact = [string, ReactNode];

function identity(run: Run): Fact[] {
  return [
    [
      "Run",
      <span key="id" className="mono">
        {run.id}
      </span>,
    ],
    [
      "Document",
      <Link key="document" className="link" to="/documents/$documentId" params={{ documentId: run.input_document_id }}>
        {run.document_name}
      </Link>,
    ],
    [
      "Build",
      <Link key="build" className="link mono" to="/builds/$buildId" params={{ buildId: run.build_id }}>
        {run.build_id}
      </Link>,
    ],
  ];
}

function times(run: Run): Fact[] {
  return [
    ["Priority", <PriorityBadge key="priority" priority={run.priority} effective={run.effective_priority} />],
    [
      "Submitted",
      <>
        <Time at={run.created_at} />
        {run.submitted_by && ` by ${run.submitted_by}`}
      </>,
    ],
    ["Started", <Time key="started" at={run.started_at} />],
    ["Finished", <Time key="finished" at={run.finished_at} />],
  ];
}

function execution(run: Run): Fact[] {
  return [
    ["Worker", run.worker ?? "–"],
    ["Isolation", run.isolation ? (ISOLATION[run.isolation] ?? run.isolation) : "–"],
    ["Network at run time", run.runtime_network_access ? "public addresses, by proxy" : "off"],
    ["Sheets", run.sheets?.join(", ") ?? "as the configuration says"],
  ];
}

function usage(run: Run): Fact[] {
  const metrics = run.metrics ?? {};
  const steps = inOrder((metrics.steps ?? {}) as Record<string, number>);
  const number = (name: string): number | null => (typeof metrics[name] === "number" ? metrics[name] : null);
  return [
    ["Steps", steps.length ? steps.map(([name, seconds]) => `${name} ${duration(seconds)}`).join(" · ") : "–"],
    ["CPU", number("cpu_seconds") === null ? "–" : duration(number("cpu_seconds") ?? 0)],
    ["Peak memory", number("peak_memory_bytes") === null ? "–" : bytes(number("peak_memory_bytes") ?? 0)],
  ];
}
