// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { artifact, cells, document, issue, run, sheet, table } from "~/testing/things";
import DocumentPage from "./DocumentPage";

const at = { path: "/documents/$documentId" };
const content = cells([
  ["ID", "Mail", "Note"],
  ["1", null, "x"],
  ["2", "b@example.org", null],
]);

function serving(part: Parameters<typeof document>[0] = {}): Server {
  return new Server()
    .on("GET /documents/d1", document(part))
    .on("GET /documents/d1/cells", ({ query }) =>
      query.get("range") === "B2:B2" ? { ...content, rows: [{ row: 2, is_hidden: false, cells: [null] }] } : content,
    )
    .on("GET /workspaces/w1/runs", { items: [], next_cursor: null });
}

function withRun(server: Server): Server {
  return server
    .on("GET /workspaces/w1/runs", { items: [run()], next_cursor: null })
    .on(
      "GET /runs/run-1/artifact",
      artifact([sheet({ tables: [table({ totals_rows: [4] })] })], { total: 1, error: 1 }),
    )
    .on("GET /runs/run-1/issues/list", { items: [issue()], next_cursor: null });
}

const cell = (name: string): Promise<HTMLElement> =>
  waitFor(() => {
    const found = window.document.getElementById(`cell-${name}`);
    if (!found) throw new Error(`There is no cell ${name}`);
    return found;
  });

describe("a document", () => {
  it("is shown cell by cell, A1 at the corner", async () => {
    serving();
    await open(DocumentPage, "/documents/d1", at);
    const grid = await screen.findByRole("grid", { name: "Cells" });
    await waitFor(() => expect(within(grid).getByText("b@example.org").id).toBe("cell-B3"));
    expect(within(grid).getByRole("columnheader", { name: "B" })).toBeTruthy();
  });

  it("says what is wrong when it is not there", async () => {
    new Server().on("GET /documents/d1", new Refusal(404, "not_found", "Not found", "There is no such document."));
    await open(DocumentPage, "/documents/d1", at);
    expect(await screen.findByText("It is not here")).toBeTruthy();
    expect(screen.getByRole("link", { name: /All documents/ })).toBeTruthy();
  });

  it("has a tab for each sheet, also for hidden ones", async () => {
    const sheets = [
      { index: 0, name: "Members", visibility: "visible" as const, is_active: true },
      { index: 1, name: "Old", visibility: "hidden" as const, is_active: false },
    ];
    const server = serving({ sheets });
    const { user, address } = await open(DocumentPage, "/documents/d1?cell=A1", at);
    await user.click(await screen.findByRole("tab", { name: "Old (hidden)" }));
    await waitFor(() => expect(address()).toBe("/documents/d1?sheet=Old"));
    await waitFor(() => expect(server.last("GET /documents/d1/cells").query.get("sheet")).toBe("1"));
  });
});

describe("a cell", () => {
  it("is chosen by a click, and the address follows", async () => {
    serving();
    const { user, address } = await open(DocumentPage, "/documents/d1", at);
    await user.click(await cell("B3"));
    await waitFor(() => expect(address()).toBe("/documents/d1?cell=B3"));
    expect((await cell("B3")).getAttribute("aria-selected")).toBe("true");
    expect(screen.getByRole("grid").getAttribute("aria-activedescendant")).toBe("cell-B3");
  });

  it("is left by the arrow keys, not beyond the edge", async () => {
    serving();
    const { user, address } = await open(DocumentPage, "/documents/d1?cell=B2", at);
    (await screen.findByRole("grid")).focus();
    await cell("B2");
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(address()).toBe("/documents/d1?cell=C2"));
    await user.keyboard("{PageUp}");
    await waitFor(() => expect(address()).toBe("/documents/d1?cell=C1"));
  });

  it("begins a range with Shift", async () => {
    serving();
    const { user } = await open(DocumentPage, "/documents/d1?cell=A1", at);
    (await screen.findByRole("grid")).focus();
    await cell("A1");
    await user.keyboard("{Shift>}{ArrowDown}{ArrowRight}{/Shift}");
    for (const name of ["A1", "A2", "B1", "B2"])
      await waitFor(async () => expect((await cell(name)).dataset.ranged).toBe("true"));
    expect((await cell("C3")).dataset.ranged).toBeUndefined();
  });

  it("says what a run made of it, and what is wrong with it", async () => {
    withRun(serving());
    await open(DocumentPage, "/documents/d1?cell=B2", at);
    const link = await screen.findByRole("link", { name: "Email" });
    expect(link.getAttribute("href")).toContain("/runs/run-1?tab=explanation&column=");
    const inspector = link.closest("[role=status]") as HTMLElement;
    expect(inspector.textContent).toContain("data of Email · in table A1:C4");
    expect(await within(inspector).findByText(/is required/)).toBeTruthy();
    expect(within(inspector).getByText("empty")).toBeTruthy();
  });

  it("is drawn as the part of the table it is in", async () => {
    withRun(serving());
    await open(DocumentPage, "/documents/d1", at);
    await waitFor(async () => expect((await cell("A1")).dataset.part).toBe("header"));
    expect((await cell("A2")).dataset.part).toBe("data");
    expect((await cell("A4")).dataset.part).toBe("totals");
    expect((await cell("C2")).dataset.unmapped).toBe("true");
    expect((await cell("A2")).dataset.unmapped).toBeUndefined();
    await waitFor(async () => expect((await cell("B2")).dataset.issue).toBe("error"));
  });
});
