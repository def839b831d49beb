// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { run } from "~/testing/things";
import RunsPage from "./RunsPage";

const RUNS = "/workspaces/w1/runs";
const done = run({ id: "a", document_name: "a.xlsx" });
const also = run({ id: "b", document_name: "b.xlsx" });
const waits = run({ id: "c", document_name: "c.xlsx", status: "queued", started_at: null, finished_at: null });
const page = (...items: (typeof done)[]) => ({ items, next_cursor: null });

describe("the list of runs", () => {
  it("lists them", async () => {
    new Server().on(`GET ${RUNS}`, page(done, also));
    await open(RunsPage, "/runs");
    const table = await screen.findByRole("table", { name: "Runs" });
    expect(within(table).getAllByRole("link", { name: /xlsx/ })).toHaveLength(2);
  });

  it("says that there are none yet, and how to start one", async () => {
    new Server().on(`GET ${RUNS}`, page());
    await open(RunsPage, "/runs");
    expect(await screen.findByText("No runs yet")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Show all runs" })).toBeNull();
  });

  it("says that none has the status that is asked for, and leads back to all", async () => {
    const server = new Server().on(`GET ${RUNS}`, page());
    const { user, address } = await open(RunsPage, "/runs?status=failed");
    expect(await screen.findByText("No run is failed")).toBeTruthy();
    expect(server.last(`GET ${RUNS}`).query.get("status")).toBe("failed");
    await user.click(screen.getByRole("button", { name: "Show all runs" }));
    await waitFor(() => expect(address()).toBe("/runs"));
  });

  it("asks for what a link narrows it to, and takes that back", async () => {
    const server = new Server().on(`GET ${RUNS}`, page(done));
    const { user } = await open(RunsPage, "/runs?only=newest&issues=some");
    await user.click(await screen.findByRole("button", { name: "Only the newest run of each document with issues" }));
    const { query } = server.asked.find(({ path }) => path === RUNS) as { query: URLSearchParams };
    expect([query.get("is_newest"), query.get("has_issues")]).toEqual(["true", "true"]);
    await waitFor(() => expect(server.last(`GET ${RUNS}`).query.get("is_newest")).toBeNull());
  });

  it("shows the verdict on a run that succeeded, and lists those of one verdict", async () => {
    const check = run({ id: "d", document_name: "d.xlsx", verdict: "check", verdict_reason: "Email was not found." });
    const unjudged = run({ id: "e", document_name: "e.xlsx", verdict: null, verdict_reason: null });
    const server = new Server().on(`GET ${RUNS}`, page(done, check, unjudged));
    const { user } = await open(RunsPage, "/runs");
    const table = await screen.findByRole("table", { name: "Runs" });
    const tones = ["Ready", "Check", "Succeeded"].map(
      (word) => within(table).getByText(word).parentElement?.dataset.tone,
    );
    expect(tones).toEqual(["good", "warn", "quiet"]);
    expect(within(table).getByTitle("Email was not found.")).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "Check" }));
    await waitFor(() => expect(server.last(`GET ${RUNS}`).query.get("verdict")).toBe("check"));
  });

  it("shows why it could not be loaded, and loads again", async () => {
    const server = new Server().on(`GET ${RUNS}`, new Refusal(500, "internal_error", "Something broke", "Try again."));
    const { user } = await open(RunsPage, "/runs");
    expect((await screen.findByRole("alert")).textContent).toContain("Something broke");
    server.on(`GET ${RUNS}`, page(done));
    await user.click(screen.getByRole("button", { name: "Load again" }));
    expect(await screen.findByRole("table", { name: "Runs" })).toBeTruthy();
  });
});

describe("ticked runs", () => {
  const compare = () => screen.getByRole<HTMLButtonElement>("button", { name: "Compare" });
  const box = (name: RegExp) => screen.findByRole<HTMLInputElement>("checkbox", { name });

  it("are compared when two have finished", async () => {
    new Server().on(`GET ${RUNS}`, page(also, done));
    const { user, address } = await open(RunsPage, "/runs");
    await user.click(await box(/b\.xlsx to compare/));
    expect(compare().disabled).toBe(true);
    expect(screen.getByText("Select one more to compare the two")).toBeTruthy();
    await user.click(await box(/a\.xlsx to compare/));
    await user.click(compare());
    await waitFor(() => expect(address()).toBe("/compare?before=a&after=b"));
  });

  it("that succeeded are asked for as one workbook, the oldest first", async () => {
    URL.createObjectURL = () => "blob:combined";
    URL.revokeObjectURL = () => undefined;
    const server = new Server().on(`GET ${RUNS}`, page(also, done)).on("POST /workspaces/w1/combined-output", {});
    const { user } = await open(RunsPage, "/runs");
    await user.click(await box(/Choose all runs/));
    await user.click(screen.getByRole("button", { name: "Download as one" }));
    await waitFor(() => expect(server.changes).toEqual(["POST /workspaces/w1/combined-output"]));
    expect(server.last("POST /workspaces/w1/combined-output").body).toEqual({ run_ids: ["a", "b"], format: "xlsx" });
  });

  it("are not compared with one that waits", async () => {
    new Server().on(`GET ${RUNS}`, page(done, also, waits));
    const { user } = await open(RunsPage, "/runs");
    await user.click(await box(/Choose all runs/));
    expect(compare().disabled).toBe(true);
    expect((await box(/Choose all runs/)).checked).toBe(true);
  });

  it("are ticked in part when some are", async () => {
    new Server().on(`GET ${RUNS}`, page(done, also));
    const { user } = await open(RunsPage, "/runs");
    await user.click(await box(/a\.xlsx/));
    expect((await box(/Choose all runs/)).indeterminate).toBe(true);
    await user.click(await box(/Choose all runs/));
    expect((await box(/a\.xlsx/)).checked).toBe(false);
  });

  it("are cancelled after a question, and only those that have not finished", async () => {
    const server = new Server().on(`GET ${RUNS}`, page(done, waits)).on("POST /runs/c/cancel", waits);
    const { user } = await open(RunsPage, "/runs");
    await user.click(await box(/Choose all runs/));
    const bar = screen.getByRole("group", { name: "The chosen runs" });
    expect(within(bar).getByRole("status").textContent).toBe("1 chosen");
    await user.click(within(bar).getByRole("button", { name: "Cancel 1 run…" }));
    const question = await screen.findByRole("dialog", { name: "Cancel 1 run?" });
    expect(server.changes).toEqual([]);
    await user.click(within(question).getByRole("button", { name: "Cancel 1 run" }));
    expect(await screen.findByText("1 run cancelled")).toBeTruthy();
    expect(server.changes).toEqual(["POST /runs/c/cancel"]);
    await waitFor(() => expect(screen.queryByRole("group", { name: "The chosen runs" })).toBeNull());
  });

  it("say why they could not be cancelled", async () => {
    new Server()
      .on(`GET ${RUNS}`, page(waits))
      .on("POST /runs/c/cancel", new Refusal(409, "conflict", "It has ended", "It finished a moment ago."));
    const { user } = await open(RunsPage, "/runs");
    await user.click(await box(/Choose all runs/));
    await user.click(screen.getByRole("button", { name: "Cancel 1 run…" }));
    await user.click(await screen.findByRole("button", { name: "Cancel 1 run" }));
    expect(await screen.findByText("It finished a moment ago.")).toBeTruthy();
  });

  it("cannot be cancelled by a viewer", async () => {
    new Server().on(`GET ${RUNS}`, page(waits));
    const { user } = await open(RunsPage, "/runs", { role: "viewer" });
    await user.click(await box(/Choose all runs/));
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Cancel 1 run…" });
    expect(button.disabled).toBe(true);
    expect(button.title).toContain("needs the role operator");
  });
});
