import { describe, expect, it } from "vitest";
import type { Run, RunEvent } from "~/api/types";
import { eventText, isOutdated, logLines } from "./log";
import { rowsProgress, timeline } from "./timeline";

type Facts = Pick<Run, "status" | "waiting_for" | "build" | "created_at" | "started_at" | "position">;

const queued: Facts = {
  status: "queued",
  waiting_for: "build",
  build: { id: "b", status: "building" },
  created_at: "2025-12-31T23:59:58Z",
  started_at: null,
  position: 3,
};
const running: Facts = {
  ...queued,
  status: "running",
  build: { id: "b", status: "ready" },
  started_at: "2026-01-01T00:00:00Z",
  position: null,
};
const event = (type: string, seq = 1): RunEvent => ({ type, seq, at: "2026-01-01T00:00:00Z" }) as RunEvent;
const states = (run: Facts, ...types: string[]): string =>
  timeline(
    run,
    types.map((type) => event(type)),
  )
    .map((stage) => stage.state[0])
    .join("");

describe("the timeline (done, active, pending, failed, stopped)", () => {
  it("shows a run that waits for its build", () => {
    expect(states(queued)).toBe("aappppp");
    expect(timeline(queued, [])[0]?.note).toBe("#3");
  });
  it("shows where a run failed, though its engine said goodbye", () => {
    const last = { ...event("engine.run.finished"), status: "failed" } as RunEvent;
    const found = timeline({ ...running, status: "failed" }, [last]);
    expect(found.map((stage) => stage.state[0]).join("")).toBe("ddfpppp");
  });
  it("tells what each pass found", () => {
    const mapped = { ...event("engine.table.mapped"), mapped: 3, unmapped: 2 } as RunEvent;
    const found = timeline(running, [event("engine.table.found"), mapped]);
    expect(found.map((stage) => stage.note)).toEqual(["2.0 s", "ready", "1 table", "3 of 5 columns", "", "", ""]);
  });
  it("counts only what the attempt at hand found when a run begins again", () => {
    const mapped = { ...event("engine.table.mapped"), mapped: 3, unmapped: 9 } as RunEvent;
    const attempt = [event("run.claimed"), event("engine.run.started"), event("engine.table.found"), mapped];
    const notes = (...events: RunEvent[]): string[] => timeline(running, events).map((stage) => stage.note);
    expect(notes(...attempt, event("run.released"), ...attempt).slice(2, 4)).toEqual(["1 table", "3 of 12 columns"]);
    expect(notes(...attempt, event("run.requeued")).slice(2, 4)).toEqual(["", ""]);
    expect(states(running, "engine.table.finished", "run.requeued", "run.claimed")).toBe("ddapppp");
  });
  it("follows the passes by their events", () => {
    expect(states(running)).toBe("ddapppp");
    expect(states(running, "engine.table.found")).toBe("dddappp");
    expect(states(running, "engine.table.found", "engine.table.mapped")).toBe("ddddapp");
    expect(states(running, "engine.table.finished")).toBe("dddddda");
  });
  it("is done when the run succeeded", () => {
    expect(states({ ...running, status: "succeeded" })).toBe("ddddddd");
  });
  it("ends where the run failed or was cancelled", () => {
    expect(states({ ...running, status: "failed" }, "engine.table.found")).toBe("dddfppp");
    expect(states({ ...queued, status: "cancelled" })).toBe("spppppp");
    expect(states({ ...queued, status: "failed", build: { id: "b", status: "failed" } })).toBe("dfppppp");
  });
});

describe("the progress of a long table", () => {
  const found = { ...event("engine.table.found"), sheet: "Ledger", first_row: 3, header_rows: [3, 4] } as RunEvent;
  const written = (rows: number): RunEvent => ({ ...event("engine.rows.progress"), rows }) as RunEvent;
  it("is how many of its rows are written", () => {
    expect(rowsProgress([found, written(10_240), written(20_480)])).toEqual({
      sheet: "Ledger",
      firstDataRow: 5,
      rows: 20_480,
    });
    expect(rowsProgress([found, written(10_240), found])?.rows).toBe(0);
  });
  it("is nothing before, between and after tables, and in another attempt", () => {
    expect(rowsProgress([])).toBeNull();
    expect(rowsProgress([found, event("engine.table.finished")])).toBeNull();
    expect(rowsProgress([found, event("engine.run.finished")])).toBeNull();
    expect(rowsProgress([found, event("run.requeued")])).toBeNull();
  });
});

describe("the log", () => {
  it("tells events, then what was printed, numbered through", () => {
    const lines = logLines([event("run.queued"), event("run.failed", 2)], "hello\nValueError: no\n");
    expect(lines.map((line) => [line.number, line.level, line.text])).toEqual([
      [1, "info", "run.queued"],
      [2, "error", "run.failed"],
      [3, "info", "hello"],
      [4, "error", "ValueError: no"],
    ]);
  });
  it("tells a problem that is an error from one that is a warning", () => {
    const problem = (severity: string): RunEvent => ({ ...event("engine.problem"), severity }) as RunEvent;
    const lines = logLines([problem("warning"), problem("error")], "");
    expect(lines.map((line) => line.level)).toEqual(["warning", "error"]);
  });
  it("shows what an event carries, and leaves out what every event has", () => {
    const told = { ...event("step.started"), step: "fetch", run_id: "r", rows: { read: 3 } } as RunEvent;
    expect(eventText(told)).toBe('step.started  step=fetch  rows={"read":3}');
  });
  it("shows a verdict and a failure as their sentences", () => {
    const verdict = { verdict: "check", sentence: "3 cells have issues.", reasons: [{ code: "issues" }] };
    const failure = { code: "configuration_error", message: "hooks/act.py, line 2: the hook raised ValueError" };
    const finished = { ...event("engine.run.finished"), verdict, failure } as RunEvent;
    expect(eventText(finished)).toBe(
      "engine.run.finished  verdict=check: 3 cells have issues.  " +
        "failure=configuration_error: hooks/act.py, line 2: the hook raised ValueError",
    );
  });
  it("tells how far a table is in words, and only the last of several times", () => {
    const rows = (count: number): RunEvent =>
      ({ ...event("engine.rows.progress"), sheet: "Ledger", rows: count }) as RunEvent;
    expect(eventText(rows(10_240))).toBe("engine.rows.progress  Ledger: 10,240 rows so far");
    expect(isOutdated(rows(10_240), rows(20_480))).toBe(true);
    expect(isOutdated(rows(20_480), event("engine.table.finished"))).toBe(false);
    expect(isOutdated(rows(20_480), undefined)).toBe(false);
  });
  it("leaves out the colours of a terminal", () => {
    expect(logLines([], "\u001b[31mred\u001b[0m")[0]?.text).toBe("red");
  });
});
