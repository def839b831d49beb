// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { addPending, pendingOf } from "~/pages/review/pending";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { AccountMenu } from "./AccountMenu";

const session = { mode: "team", name: "Ann", email: "ann@example.org" };

it("leaves no value of a document in the browser after signing out", async () => {
  const server = new Server().on("GET /session", session).on("DELETE /session", new Refusal(500, "broken", "Broken"));
  const { user } = await open(AccountMenu, "/");
  addPending("r1", { kind: "value", field: "name", value: "Bob Miller", new: null });
  await user.click(await screen.findByRole("button", { name: "Account: Ann" }));
  await user.click(await screen.findByRole("menuitem", { name: "Sign out" }));
  await screen.findByText("Broken");
  expect(pendingOf("r1")).toHaveLength(1);
  server.on("DELETE /session", null);
  await user.click(screen.getByRole("button", { name: "Account: Ann" }));
  await user.click(await screen.findByRole("menuitem", { name: "Sign out" }));
  await waitFor(() => expect(pendingOf("r1")).toEqual([]));
  expect(JSON.stringify(sessionStorage)).not.toContain("Miller");
});

it("leaves nothing to somebody else who signs in after a session has ended by itself", async () => {
  const server = new Server().on("GET /session", { ...session, user_id: "u1" });
  await open(AccountMenu, "/");
  await screen.findByRole("button", { name: "Account: Ann" });
  addPending("r1", { kind: "value", field: "name", value: "Bob Miller", new: null });
  await open(AccountMenu, "/");
  await waitFor(() => expect(screen.getAllByRole("button", { name: "Account: Ann" })).toHaveLength(2));
  expect(pendingOf("r1")).toHaveLength(1);
  server.on("GET /session", { ...session, user_id: "u2", name: "Eve" });
  await open(AccountMenu, "/");
  await screen.findByRole("button", { name: "Account: Eve" });
  await waitFor(() => expect(pendingOf("r1")).toEqual([]));
});
