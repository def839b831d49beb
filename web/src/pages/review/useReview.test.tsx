// @vitest-environment jsdom
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { Artifact } from "~/api/artifact";
import type { Correction } from "~/api/types";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { run } from "~/testing/things";
import { addPending, clearPending, usePending } from "./pending";
import { PendingPanel } from "./PendingPanel";
import { useReview } from "./useReview";

const QUICK = run({ id: "r1", started_at: "2026-01-01T00:00:00Z", finished_at: "2026-01-01T00:00:01Z" });
const ARTIFACT = {
  input: { sha256: "d" },
  sheets: [],
  summary: { issues: { total: 0 }, columns: { mapped: 0 }, rows: {} },
} as never as Artifact;
const TRIAL = "POST /runs/r1/run-again";
const value = (words: string): Correction => ({ kind: "value", field: "name", value: words, new: null });

function Panel() {
  return <PendingPanel review={useReview(QUICK, ARTIFACT, usePending("r1"))} manifest={null} />;
}

const SLOW = { ...QUICK, finished_at: "2026-01-01T00:01:00Z" };

function SlowPanel() {
  return <PendingPanel review={useReview(SLOW, ARTIFACT, usePending("r1"))} manifest={null} />;
}

beforeEach(() => clearPending("r1"));

it("says that a trial was cancelled, and asks again after one that was refused", async () => {
  const server = new Server().on(TRIAL, new Refusal(503, "full", "The queue is full"));
  addPending("r1", value("soon"));
  const { user } = await open(Panel, "/");
  await screen.findByText("The queue is full");
  server.on(TRIAL, run({ id: "t1", status: "cancelled", failure: null }));
  await user.click(screen.getByRole("button", { name: "Load again" }));
  await screen.findByText(/cannot be computed with these corrections: its run was cancelled/);
  server.on(TRIAL, run({ id: "t2" })).on("GET /runs/t2/artifact", ARTIFACT);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("list", { name: "What changes" });
});

it("says that figures are without the latest corrections, until somebody asks for them", async () => {
  const server = new Server().on(TRIAL, run({ id: "t1" })).on("GET /runs/t1/artifact", ARTIFACT);
  addPending("r1", value("soon"));
  const { user } = await open(SlowPanel, "/");
  await user.click(await screen.findByRole("button", { name: "Compute the result" }));
  await screen.findByRole("list", { name: "What changes" });
  expect(screen.queryByText(/Without your latest corrections/)).toBeNull();
  act(() => addPending("r1", value("later")));
  await screen.findByText("Without your latest corrections.");
  server.on(TRIAL, run({ id: "t2" })).on("GET /runs/t2/artifact", ARTIFACT);
  await user.click(screen.getByRole("button", { name: "Compute the result" }));
  await waitFor(() => expect(screen.queryByText(/Without your latest corrections/)).toBeNull());
});

it("cancels a trial that nobody waits for any longer", async () => {
  const underWay = { ...run({ id: "t1", status: "queued" }), finished_at: null };
  const server = new Server().on(TRIAL, underWay).on("GET /runs/t1", underWay).on("POST /runs/t1/cancel", underWay);
  addPending("r1", value("soon"));
  await open(Panel, "/");
  await waitFor(() => expect(server.asked.some(({ path }) => path === "/runs/t1")).toBe(true));
  server.on(TRIAL, run({ id: "t2", status: "failed", failure: null }));
  act(() => addPending("r1", value("later")));
  await screen.findByText(/its run failed/);
  await waitFor(() => expect(server.changes).toContain("POST /runs/t1/cancel"));
  expect(server.changes.filter((one) => one.endsWith("/cancel"))).toHaveLength(1);
});

it("leaves a trial alone that ended by itself", async () => {
  const underWay = { ...run({ id: "t1", status: "queued" }), finished_at: null };
  const server = new Server().on(TRIAL, underWay).on("GET /runs/t1", underWay);
  addPending("r1", value("soon"));
  await open(Panel, "/");
  await waitFor(() => expect(server.asked.some(({ path }) => path === "/runs/t1")).toBe(true));
  act(() => clearPending("r1"));
  server.on("GET /runs/t1", run({ id: "t1" }));
  const before = server.asked.length;
  await waitFor(() => expect(server.asked.length).toBeGreaterThan(before), { timeout: 5000 });
  expect(server.changes).toEqual([TRIAL]);
});
