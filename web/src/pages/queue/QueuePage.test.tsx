// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { queue, queuedRun, run } from "~/testing/things";
import QueuePage from "./QueuePage";

const three = [queuedRun(1), queuedRun(2), queuedRun(3, { priority: 70, effective_priority: 70, submitted_by: "Bob" })];
const serving = (part: Parameters<typeof queue>[0] = {}) => new Server().on("GET /queue", queue(part));
const rows = async () => within(await screen.findByRole("list", { name: "Waiting runs" })).getAllByRole("listitem");

describe("the queue", () => {
  it("says that nothing waits", async () => {
    serving();
    await open(QueuePage, "/queue");
    expect(await screen.findByText("Nothing waits")).toBeTruthy();
    expect(screen.getByText(/Drop spreadsheets anywhere to start runs/)).toBeTruthy();
  });

  it("says that workers without a run are idle, and that what is scheduled is not due", async () => {
    serving({
      items: three,
      capacity: { ...queue().capacity, running_count: 0, queued_count: 3, waiting_since: null },
    });
    await open(QueuePage, "/queue");
    expect(await screen.findByText("nothing is due yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "idle" })).toBeTruthy();
    expect(screen.queryByText("nothing waits")).toBeNull();
  });

  it("warns when no worker is at work", async () => {
    serving({ capacity: { ...queue().capacity, worker_count: 0 } });
    await open(QueuePage, "/queue");
    expect((await screen.findByRole("alert")).textContent).toContain("No worker is running.");
  });

  it("shows how many slots are in use, and how much room is left", async () => {
    serving({ items: three, capacity: { ...queue().capacity, running_count: 3, queued_count: 3, queue_size: 10 } });
    await open(QueuePage, "/queue");
    const meter = await screen.findByRole("meter", { name: "Slots in use" });
    expect([meter.getAttribute("aria-valuenow"), meter.getAttribute("aria-valuemax")]).toEqual(["3", "4"]);
    expect(screen.getByText("room for 4 more")).toBeTruthy();
  });

  it("lists what waits in its order, with the name above each band", async () => {
    serving({ items: three });
    await open(QueuePage, "/queue");
    const found = await rows();
    expect(found.map((row) => row.getAttribute("aria-posinset"))).toEqual(["1", "2", "3"]);
    expect(found.map((row) => /^(normal|low)/.exec(row.textContent)?.[0])).toEqual(["normal", undefined, "low"]);
  });

  it("cancels a run that is running", async () => {
    const running = run({ id: "r7", status: "running", finished_at: null, document_name: "now.xlsx" });
    const server = serving({ running: [running] }).on("POST /runs/r7/cancel", running);
    const { user } = await open(QueuePage, "/queue");
    await user.click(await screen.findByRole("button", { name: "Cancel the run of now.xlsx" }));
    await waitFor(() => expect(server.changes).toEqual(["POST /runs/r7/cancel"]));
  });

  it("is read only for a viewer", async () => {
    serving({ items: three });
    await open(QueuePage, "/queue", { role: "viewer" });
    const [first] = await rows();
    const buttons = within(first as HTMLElement).getAllByRole<HTMLButtonElement>("button");
    expect(buttons.length).toBeGreaterThan(0);
    expect(buttons.every((one) => one.disabled)).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Pause…" }).disabled).toBe(true);
  });
});

describe("moving runs", () => {
  const menuOf = async (user: Awaited<ReturnType<typeof open>>["user"], name: string) => {
    await user.click(await screen.findByRole("button", { name }));
    return screen.findByRole("menu");
  };

  it("puts a run to the top, before the run that was first", async () => {
    const server = serving({ items: three }).on("PUT /queue/run-2/position", {});
    const { user } = await open(QueuePage, "/queue");
    const menu = await menuOf(user, "Actions for document 2.xlsx, #2");
    await user.click(within(menu).getByRole("menuitem", { name: "Move to the top" }));
    await waitFor(() => expect(server.changes).toEqual(["PUT /queue/run-2/position"]));
    const sent = server.last("PUT /queue/run-2/position");
    expect(sent.body).toEqual({ before: "run-1" });
    expect(sent.headers.get("If-Match")).toBe('"7"');
  });

  it("asks before a move into another band changes the priority", async () => {
    const server = serving({ items: three });
    const { user } = await open(QueuePage, "/queue");
    const menu = await menuOf(user, "Actions for document 3.xlsx, #3");
    await user.click(within(menu).getByRole("menuitem", { name: "Move to the top" }));
    expect(await screen.findByRole("dialog")).toBeTruthy();
    expect(server.changes).toEqual([]);
  });

  it("does not offer to move the first up, nor the last down", async () => {
    serving({ items: three });
    const { user } = await open(QueuePage, "/queue");
    const menu = await menuOf(user, "Actions for document 1.xlsx, #1");
    expect(within(menu).getByRole<HTMLButtonElement>("menuitem", { name: "Move up" }).disabled).toBe(true);
    expect(within(menu).getByRole<HTMLButtonElement>("menuitem", { name: "Move down" }).disabled).toBe(false);
  });

  it("takes only places that exist", async () => {
    const server = serving({ items: three });
    const { user } = await open(QueuePage, "/queue");
    const menu = await menuOf(user, "Actions for document 2.xlsx, #2");
    await user.click(within(menu).getByRole("menuitem", { name: "Move to position…" }));
    const dialog = await screen.findByRole("dialog", { name: "Move document 2.xlsx" });
    const place = within(dialog).getByRole("textbox", { name: "Position" });
    await user.clear(place);
    await user.type(place, "9{Enter}");
    expect(within(dialog).getByText("A whole number from 1 to 3")).toBeTruthy();
    expect(server.changes).toEqual([]);
  });

  it("changes the priority by the menu", async () => {
    const server = serving({ items: three }).on("PATCH /runs/run-1", run());
    const { user } = await open(QueuePage, "/queue");
    const menu = await menuOf(user, "Actions for document 1.xlsx, #1");
    await user.click(within(menu).getByRole("menuitem", { name: "urgent" }));
    await waitFor(() => expect(server.last("PATCH /runs/run-1").body).toEqual({ priority: 10 }));
  });
});

describe("waiting runs", () => {
  it("are found by words", async () => {
    serving({ items: three });
    const { user } = await open(QueuePage, "/queue");
    await user.type(await screen.findByRole("textbox", { name: "Find waiting runs" }), "bob");
    expect(await screen.findByText("1 run found")).toBeTruthy();
    await waitFor(async () => expect(await rows()).toHaveLength(1));
    expect((await rows())[0]?.textContent).toContain("document 3.xlsx");
  });

  it("get another priority together", async () => {
    const server = serving({ items: three });
    for (const id of [1, 2, 3]) server.on(`PATCH /runs/run-${id}`, run());
    const { user } = await open(QueuePage, "/queue");
    await user.click(await screen.findByRole("checkbox", { name: "Choose all waiting runs" }));
    await user.click(await screen.findByRole("button", { name: "Priority" }));
    await user.click(await screen.findByRole("menuitem", { name: "high" }));
    expect(await screen.findByText("3 runs now high")).toBeTruthy();
    expect(server.changes.sort()).toEqual(["PATCH /runs/run-1", "PATCH /runs/run-2", "PATCH /runs/run-3"]);
    expect(server.last("PATCH /runs/run-2").body).toEqual({ priority: 20 });
  });
});

describe("a pause", () => {
  it("needs a reason, and says what it stops", async () => {
    const server = serving().on("POST /queue/pauses", { id: "p1" });
    const { user } = await open(QueuePage, "/queue");
    await user.click(screen.getByRole("button", { name: "Pause…" }));
    const dialog = await screen.findByRole("dialog", { name: "Pause" });
    const pause = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Pause" });
    expect(pause.disabled).toBe(true);
    await user.type(within(dialog).getByRole("textbox", { name: /Why/ }), "month end");
    await user.click(pause);
    await waitFor(() => expect(server.last("POST /queue/pauses").body).toEqual({ scope: "all", reason: "month end" }));
    await waitFor(() => expect(screen.queryByRole("dialog", { name: "Pause" })).toBeNull());
  });

  it("stays open when it is refused, and says why", async () => {
    serving().on("POST /queue/pauses", new Refusal(409, "conflict", "It is paused already", "Resume it first."));
    const { user } = await open(QueuePage, "/queue");
    await user.click(screen.getByRole("button", { name: "Pause…" }));
    const dialog = await screen.findByRole("dialog", { name: "Pause" });
    await user.type(within(dialog).getByRole("textbox", { name: /Why/ }), "again{Enter}");
    expect((await within(dialog).findByRole("alert")).textContent).toContain("It is paused already");
  });
});
