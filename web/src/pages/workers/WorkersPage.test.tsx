// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open } from "~/testing/page";
import { Server } from "~/testing/server";
import { run, worker } from "~/testing/things";
import WorkersPage from "./WorkersPage";

function serving(...items: ReturnType<typeof worker>[]): Server {
  return new Server()
    .on("GET /workers", { items })
    .on("GET /healthz", { version: "1.2.3" })
    .on("GET /readyz", { database: "sqlite", schema_revision: "0001", warnings: [] });
}

const card = (name: string) => screen.findByRole("region", { name: `Worker ${name}` });

describe("workers", () => {
  it("are not shown to viewers, nor asked for", async () => {
    const server = serving(worker());
    await open(WorkersPage, "/workers", { role: "viewer" });
    expect(await screen.findByText("Only operators see workers")).toBeTruthy();
    expect(server.asked.some(({ path }) => path === "/workers")).toBe(false);
  });

  it("are missed when all have stopped", async () => {
    serving(worker({ stopped_at: "2026-03-01T10:00:00Z" }));
    await open(WorkersPage, "/workers");
    expect(await screen.findByText("No worker is running")).toBeTruthy();
  });

  it.each([
    ["Silent", { is_alive: false }],
    ["Draining", { drain_requested_at: "2026-03-01T10:00:00Z" }],
    ["Claims nothing", { idle_reason: "The disk is full." }],
    ["Idle", {}],
    ["At work", { running: ["run-1"] }],
  ])("are %s when they are %j", async (label, part) => {
    serving(worker(part)).on("GET /runs/run-1", run());
    await open(WorkersPage, "/workers");
    const head = (await card("worker-a")).firstElementChild as HTMLElement;
    expect(head.textContent).toBe(`worker-a${label}`);
  });

  it("show what they are at work on, by the name of the document", async () => {
    serving(worker({ running: ["run-1", "run-2"] })).on("GET /runs/run-1", run({ document_name: "members.xlsx" }));
    await open(WorkersPage, "/workers");
    const list = await screen.findByRole("list", { name: "At work on" });
    expect(await within(list).findByRole("link", { name: "members.xlsx" })).toBeTruthy();
    expect(within(list).getByRole("link", { name: "run run-2" })).toBeTruthy();
    expect(
      within(await card("worker-a"))
        .getByRole("meter")
        .getAttribute("aria-valuenow"),
    ).toBe("2");
  });

  it("show facts that are words or numbers, and no others", async () => {
    serving(worker({ details: { cpu_model: "x86", list: [1, 2], cores: 4 } }));
    await open(WorkersPage, "/workers");
    const facts = await card("worker-a");
    expect(within(facts).getByText("Cpu model").nextElementSibling?.textContent).toBe("x86");
    expect(within(facts).getByText("Cores").nextElementSibling?.textContent).toBe("4");
    expect(within(facts).queryByText("List")).toBeNull();
  });

  it("are drained by an administrator", async () => {
    const server = serving(worker()).on("POST /workers/worker-1/drain", {});
    const { user } = await open(WorkersPage, "/workers");
    await user.click(await screen.findByRole("button", { name: "Drain" }));
    await waitFor(() => expect(server.changes).toEqual(["POST /workers/worker-1/drain"]));
  });

  it("are not drained by an operator, nor twice", async () => {
    serving(worker(), worker({ id: "w2", name: "worker-b", drain_requested_at: "2026-03-01T10:00:00Z" }));
    await open(WorkersPage, "/workers", { role: "operator" });
    expect(within(await card("worker-a")).getByRole<HTMLButtonElement>("button").disabled).toBe(true);
    expect(within(await card("worker-b")).getByRole<HTMLButtonElement>("button", { name: "Draining" }).disabled).toBe(
      true,
    );
  });
});

describe("health", () => {
  const fact = async (name: string) =>
    within(await screen.findByRole("region", { name: "Health" }))
      .findByText(name)
      .then((one) => one.nextElementSibling?.textContent);

  it("counts how far live workers shut rules in", async () => {
    serving(worker(), worker({ id: "2", name: "b" }), worker({ id: "3", name: "c", isolation: null }));
    await open(WorkersPage, "/workers");
    await card("c");
    expect(await fact("Sandbox")).toBe("isolated on 2 workers, not measured yet on 1 worker");
    expect(await fact("Disk")).toBe("Enough room for the files of 3 workersan unknown amount free on host-a");
  });

  it("shows the free disk of each host", async () => {
    serving(worker({ details: { free_disk_mb: 2048 } }));
    await open(WorkersPage, "/workers");
    await card("worker-a");
    expect(await fact("Disk")).toContain("free on host-a");
    expect(await fact("Disk")).not.toContain("an unknown amount");
  });

  it("says nothing of workers to those who may not see them", async () => {
    serving(worker());
    await open(WorkersPage, "/workers", { role: "viewer" });
    expect(await fact("Server")).toContain("Ready");
    expect(screen.queryByText("Disk")).toBeNull();
    expect(screen.queryByText("Sandbox")).toBeNull();
  });

  it("names the worker whose disk is full", async () => {
    serving(worker({ idle_reason: "The disk is full." }));
    await open(WorkersPage, "/workers");
    await card("worker-a");
    expect(await fact("Disk")).toBe("worker-a The disk is full.");
  });

  it("lists the server's warnings", async () => {
    serving().on("GET /readyz", { database: "sqlite", schema_revision: "0001", warnings: ["Clocks differ."] });
    await open(WorkersPage, "/workers");
    expect(await fact("Files and database")).toBe("Warning Clocks differ.");
    expect(await fact("Disk")).toBe("not known: no worker is at work");
  });
});
