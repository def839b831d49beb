// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open } from "~/testing/page";
import { Server } from "~/testing/server";
import { configuration, document, run } from "~/testing/things";
import DocumentsPage from "./DocumentsPage";

const LIST = "/workspaces/w1/documents";
const one = document({ id: "d1", name: "one.xlsx", tags: ["q1"] });
const two = document({ id: "d2", name: "two.csv" });
const page = (...items: (typeof one)[]) => ({ items, next_cursor: null });
const box = (name: string) => screen.findByRole<HTMLInputElement>("checkbox", { name });

describe("the list of documents", () => {
  it("names the formats that can be uploaded when it is empty", async () => {
    new Server().on(`GET ${LIST}`, page());
    await open(DocumentsPage, "/documents");
    expect((await screen.findByText(/Drop spreadsheets anywhere/)).textContent).toContain("xlsx, xlsm, xlsb, xls, ods");
    expect(screen.queryByRole("textbox", { name: "Find by name" })).toBeNull();
  });

  it("counts all sheets, though lists name only the first ones", async () => {
    const sheets = Array.from({ length: 10 }, (_, index) => ({
      ...(one.sheets[0] as (typeof one.sheets)[number]),
      index,
    }));
    new Server().on(`GET ${LIST}`, page({ ...one, sheets, sheet_count: 12 }));
    await open(DocumentsPage, "/documents");
    expect(await screen.findByText("12")).toBeTruthy();
  });

  it("does not offer uploads to a viewer", async () => {
    new Server().on(`GET ${LIST}`, page());
    await open(DocumentsPage, "/documents", { role: "viewer" });
    expect((await screen.findByRole<HTMLButtonElement>("button", { name: "Choose files" })).disabled).toBe(true);
  });

  it("finds by name, and the address follows", async () => {
    const server = new Server().on(`GET ${LIST}`, ({ query }) => (query.get("name") ? page(two) : page(one, two)));
    const { user, address } = await open(DocumentsPage, "/documents");
    await user.type(await screen.findByRole("textbox", { name: "Find by name" }), "two");
    await waitFor(() => expect(address()).toBe("/documents?name=two"));
    await waitFor(() => expect(screen.queryByText("one.xlsx")).toBeNull());
    expect(server.last(`GET ${LIST}`).query.get("name")).toBe("two");
  });

  it("keeps the tag while a name is sought, and drops it by its button", async () => {
    new Server().on(`GET ${LIST}`, page(one));
    const { user, address } = await open(DocumentsPage, "/documents?tag=q1");
    await user.type(await screen.findByRole("textbox", { name: "Find by name" }), "o");
    await waitFor(() => expect(address()).toBe("/documents?tag=q1&name=o"));
    await user.click(screen.getByRole("button", { name: "q1" }));
    await waitFor(() => expect(address()).toBe("/documents"));
  });

  it("loads the next page when its end is in sight", async () => {
    const server = new Server().on(`GET ${LIST}`, ({ query }) =>
      query.get("cursor") === "next" ? page(two) : { items: [one], next_cursor: "next" },
    );
    await open(DocumentsPage, "/documents");
    expect(await screen.findByRole("link", { name: "two.csv" })).toBeTruthy();
    expect(server.asked.filter(({ path }) => path === LIST)).toHaveLength(2);
  });

  it("opens a document by a click on its row", async () => {
    new Server().on(`GET ${LIST}`, page(one));
    const { user, address } = await open(DocumentsPage, "/documents");
    await user.click(await screen.findByText("20 KB"));
    await waitFor(() => expect(address()).toBe("/documents/d1"));
  });
});

describe("ticked documents", () => {
  it("get more tags without losing theirs", async () => {
    const server = new Server()
      .on(`GET ${LIST}`, page(one, two))
      .on("PATCH /documents/d1", one)
      .on("PATCH /documents/d2", two);
    const { user } = await open(DocumentsPage, "/documents");
    await user.click(await box("Choose all documents of this list"));
    await user.click(screen.getByRole("button", { name: "More for the chosen documents" }));
    await user.click(await screen.findByRole("menuitem", { name: "Add tags" }));
    const dialog = await screen.findByRole("dialog", { name: "Tags for 2 documents" });
    await user.type(within(dialog).getByLabelText("Tags to add", { selector: "input" }), "late{Enter}");
    await user.click(within(dialog).getByRole("button", { name: "Add" }));
    expect(await screen.findByText("2 documents tagged")).toBeTruthy();
    expect(server.last("PATCH /documents/d1").body).toEqual({ tags: ["q1", "late"] });
    expect(server.last("PATCH /documents/d2").body).toEqual({ tags: ["late"] });
  });

  it("are deleted only after a question", async () => {
    const server = new Server().on(`GET ${LIST}`, page(one)).on("DELETE /documents/d1", null);
    const { user } = await open(DocumentsPage, "/documents");
    await user.click(await box("Choose one.xlsx"));
    await user.click(screen.getByRole("button", { name: "More for the chosen documents" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete 1 document?" });
    expect(server.changes).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("1 document deleted")).toBeTruthy();
    expect(server.changes).toEqual(["DELETE /documents/d1"]);
  });

  it("run together with the first published configuration, once", async () => {
    const server = new Server()
      .on(`GET ${LIST}`, page(one, two))
      .on("GET /workspaces/w1/configurations", {
        items: [configuration({ id: "c0", published_version: null }), configuration({ id: "c1" })],
        next_cursor: null,
      })
      .on("POST /configurations/c1/runs/batch", { runs: [run({ id: "r1" }), run({ id: "r2" })] });
    const { user, address } = await open(DocumentsPage, "/documents");
    await user.click(await box("Choose all documents of this list"));
    await user.click(screen.getByRole("button", { name: "Run 2 documents" }));
    await user.click(await screen.findByRole("button", { name: "Start 2 runs" }));
    await waitFor(() => expect(address()).toBe("/queue"));
    const sent = server.last("POST /configurations/c1/runs/batch");
    expect(sent.body).toEqual({ input_document_ids: ["d1", "d2"], priority: 50 });
    expect(sent.headers.get("Idempotency-Key")).toBeTruthy();
  });

  it("run alone, and lead to the run", async () => {
    const server = new Server()
      .on(`GET ${LIST}`, page(one))
      .on("GET /workspaces/w1/configurations", { items: [configuration()], next_cursor: null })
      .on("POST /configurations/c1/runs", run({ id: "r9" }));
    const { user, address } = await open(DocumentsPage, "/documents");
    await user.click(await box("Choose one.xlsx"));
    await user.click(screen.getByRole("button", { name: "Run 1 document" }));
    await user.click(await screen.findByRole("button", { name: "Start the run" }));
    await waitFor(() => expect(address()).toBe("/runs/r9"));
    expect(server.last("POST /configurations/c1/runs").body).toEqual({ input_document_id: "d1", priority: 50 });
  });
});
