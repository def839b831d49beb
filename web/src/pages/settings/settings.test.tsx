// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { apiKey, member, session, user as account } from "~/testing/things";
import { KeysTab } from "./KeysTab";
import { MembersTab } from "./MembersTab";

const MEMBERS = "/workspaces/w1/members";
const ada = member();
const bob = member({ user_id: "u2", name: "Bob", email: "bob@example.org", role: "viewer" });
const Team = () => <MembersTab isTeam />;
const Keys = () => <KeysTab isTeam />;

function members(...items: (typeof ada)[]): Server {
  return new Server()
    .on(`GET ${MEMBERS}`, { items })
    .on("GET /session", session())
    .on("GET /users", {
      items: [account(), account({ id: "u3", name: "Cleo", email: "cleo@example.org", is_admin: true })],
    });
}

describe("members", () => {
  it("are explained away in local mode, without a request", async () => {
    const server = new Server();
    await open(() => <MembersTab isTeam={false} />, "/settings");
    expect(await screen.findByText("There are no other members")).toBeTruthy();
    expect(server.asked.filter(({ path }) => path === MEMBERS)).toEqual([]);
  });

  it("are listed with their roles", async () => {
    members(ada, bob);
    await open(Team, "/settings");
    const table = await screen.findByRole("table", { name: "Members" });
    expect(within(table).getByRole<HTMLInputElement>("combobox", { name: "Role of Bob" }).value).toBe(
      "Viewer: sees everything",
    );
    expect(within(table).getByRole("columnheader", { name: "Actions" })).toBeTruthy();
  });

  it("are removed only after a question that names them", async () => {
    const server = members(ada, bob).on(`DELETE ${MEMBERS}/u2`, null);
    const { user } = await open(Team, "/settings");
    const row = (await screen.findByText("bob@example.org")).closest("tr") as HTMLElement;
    await user.click(within(row).getByRole("button", { name: "Remove" }));
    const dialog = await screen.findByRole("dialog", { name: "Remove Bob?" });
    expect(dialog.textContent).toContain("no longer sees the workspace Finance");
    expect(server.changes).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(server.changes).toEqual([`DELETE ${MEMBERS}/u2`]));
  });

  it("can be kept", async () => {
    const server = members(bob);
    const { user } = await open(Team, "/settings");
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    await user.click(
      within(await screen.findByRole("dialog", { name: "Remove Bob?" })).getByRole("button", { name: "Keep" }),
    );
    expect(server.changes).toEqual([]);
  });

  it("cannot be changed by those who do not administer the workspace", async () => {
    members(ada, bob);
    await open(Team, "/settings", { role: "author" });
    const buttons = await screen.findAllByRole<HTMLButtonElement>("button", { name: "Remove" });
    expect(buttons.every((one) => one.disabled)).toBe(true);
  });

  it("are kept apart from the administrators of the deployment", async () => {
    members(ada);
    await open(Team, "/settings");
    const admins = await screen.findByRole("region", { name: "Administrators of the deployment" });
    expect(admins.textContent).toContain("cleo@example.org");
    expect(admins.textContent).not.toContain("ada@example.org");
  });

  it("are missed in words when there are none", async () => {
    members();
    await open(Team, "/settings");
    expect(await screen.findByText("This workspace has no members yet")).toBeTruthy();
  });

  it("stay as they are when the server refuses", async () => {
    members(bob).on(
      `DELETE ${MEMBERS}/u2`,
      new Refusal(409, "conflict", "The last administrator stays", "Make another administrator first."),
    );
    const { user } = await open(Team, "/settings");
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("The last administrator stays")).toBeTruthy();
    expect(screen.getByText("bob@example.org")).toBeTruthy();
  });
});

describe("keys of the API", () => {
  it("need none in local mode", async () => {
    new Server();
    await open(() => <KeysTab isTeam={false} />, "/settings");
    expect(await screen.findByText("No key is needed")).toBeTruthy();
  });

  it("are listed until they are revoked", async () => {
    new Server().on("GET /api-keys", {
      items: [apiKey(), apiKey({ id: "k2", name: "Old", revoked_at: "2026-03-01T10:00:00Z" })],
    });
    await open(Keys, "/settings");
    const table = await screen.findByRole("table", { name: "API keys" });
    expect(table.textContent).toContain("Nightly import");
    expect(table.textContent).toContain("never");
    expect(table.textContent).not.toContain("Old");
  });

  it("are revoked one by one", async () => {
    const server = new Server().on("GET /api-keys", { items: [apiKey()] }).on("DELETE /api-keys/k1", null);
    const { user } = await open(Keys, "/settings");
    await user.click(await screen.findByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(server.changes).toEqual(["DELETE /api-keys/k1"]));
  });

  it("are shown once, when they are made", async () => {
    const server = new Server()
      .on("GET /api-keys", { items: [] })
      .on("POST /api-keys", { ...apiKey(), key: "ade_secret" });
    const { user } = await open(Keys, "/settings");
    await user.click(await screen.findByRole("button", { name: "New key" }));
    const create = await screen.findByRole<HTMLButtonElement>("button", { name: "Create" });
    expect(create.disabled).toBe(true);
    await user.type(screen.getByRole("textbox", { name: "Name" }), "Nightly");
    await user.click(create);
    expect(await screen.findByText("ade_secret")).toBeTruthy();
    expect(server.last("POST /api-keys").body).toEqual({ name: "Nightly", scopes: ["read"] });
    await user.click(screen.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByText("ade_secret")).toBeNull());
  });
});
