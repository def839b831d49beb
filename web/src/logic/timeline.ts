/** Where a run is: queued, built, and the five passes, from its statuses and its events. */
import type { Run, RunEvent } from "~/api/types";
import { counted } from "./numbers";
import { duration, secondsBetween } from "./time";

export type StageState = "done" | "active" | "pending" | "failed" | "stopped";

export interface Stage {
  name: string;
  note: string;
  state: StageState;
}

const PASSES = ["Structure", "Mapping", "Transform", "Validate", "Write"];

export function timeline(
  run: Pick<Run, "status" | "waiting_for" | "build" | "created_at" | "started_at" | "position">,
  all: RunEvent[],
): Stage[] {
  const events = ofThisAttempt(all);
  const reached = passesReached(events);
  const isOver = run.status !== "queued" && run.status !== "running";
  const hasStarted = run.started_at !== null;
  const isBuilt = run.build.status === "ready" || hasStarted;
  const told = notes(events);
  const stages: Stage[] = [
    { name: "Queued", note: queueNote(run), state: hasStarted ? "done" : "active" },
    {
      name: "Build",
      note: isBuilt ? "ready" : "",
      state: isBuilt ? "done" : run.build.status === "building" ? "active" : "pending",
    },
    ...PASSES.map((name, index) => ({
      name,
      note: told[name] ?? "",
      state: passState(run.status, index, reached, hasStarted),
    })),
  ];
  if (run.build.status === "failed" && !hasStarted) mark(stages, 1, "failed");
  else if (isOver && run.status !== "succeeded") stopAt(stages, run.status === "failed" ? "failed" : "stopped");
  return stages;
}

function queueNote(run: Pick<Run, "created_at" | "started_at" | "position">): string {
  if (run.started_at) return duration(Math.max(0, secondsBetween(run.created_at, run.started_at)));
  return run.position ? `#${run.position}` : "";
}

function passState(status: Run["status"], index: number, reached: number, hasStarted: boolean): StageState {
  if (status === "succeeded" || index < reached) return "done";
  return hasStarted && index === reached ? "active" : "pending";
}

// A run that is returned, or whose worker is lost, begins again: what happened before does not count.
const BEGINS_AGAIN = new Set(["run.claimed", "run.released", "run.requeued", "engine.run.started"]);

function ofThisAttempt(events: RunEvent[]): RunEvent[] {
  const start = events.findLastIndex((event) => BEGINS_AGAIN.has(event.type));
  return start < 0 ? events : events.slice(start);
}

/** The progress of the current table; null between tables, and when the engine is not running. */
export interface RowsProgress {
  sheet: string | null;
  firstDataRow: number;
  rows: number;
}

export function rowsProgress(all: RunEvent[]): RowsProgress | null {
  const events = ofThisAttempt(all);
  const place = events.findLastIndex((event) => event.type === "engine.table.found");
  const found = events[place];
  const later = events.slice(place + 1);
  if (!found || later.some(({ type }) => type === "engine.table.finished" || type === "engine.run.finished"))
    return null;
  const headers = Array.isArray(found.header_rows) ? found.header_rows.map(Number) : [];
  return {
    sheet: typeof found.sheet === "string" ? found.sheet : null,
    firstDataRow: Math.max(Number(found.first_row ?? 1), ...headers.map((row) => row + 1)),
    rows: Number(later.findLast((event) => event.type === "engine.rows.progress")?.rows ?? 0),
  };
}

/** What the passes have found and made so far. */
function notes(events: RunEvent[]): Record<string, string> {
  const sum = (type: string, name: string): number =>
    events.reduce((total, event) => total + (event.type === type ? Number(event[name] ?? 0) : 0), 0);
  const tables = events.filter((event) => event.type === "engine.table.found").length;
  const mapped = sum("engine.table.mapped", "mapped");
  const columns = mapped + sum("engine.table.mapped", "unmapped");
  const finished = events.some((event) => event.type === "engine.table.finished");
  return {
    ...(tables > 0 && { Structure: counted(tables, "table") }),
    ...(columns > 0 && { Mapping: `${mapped} of ${counted(columns, "column")}` }),
    ...(finished && {
      Validate: counted(sum("engine.table.finished", "issues"), "issue"),
      Write: counted(sum("engine.table.finished", "rows"), "row"),
    }),
  };
}

/** The first stage that is not done is where it ended; none after it happened. */
function stopAt(stages: Stage[], state: StageState): void {
  const place = stages.findIndex((stage) => stage.state !== "done");
  if (place >= 0) mark(stages, place, state);
}

function mark(stages: Stage[], place: number, state: StageState): void {
  stages.forEach((stage, index) => {
    if (index === place) stage.state = state;
    else if (index > place) stage.state = "pending";
    else stage.state = "done";
  });
}

/** How many passes are behind the run. Rows stream through the last three, so these advance together. */
function passesReached(events: RunEvent[]): number {
  const has = (name: string): boolean => events.some((event) => event.type.endsWith(name));
  if (events.some((event) => event.type === "engine.run.finished" && event.status !== "failed")) return 5;
  if (has("table.finished") || has("rows.progress")) return 4;
  if (has("table.mapped")) return 2;
  return has("table.found") ? 1 : 0;
}
