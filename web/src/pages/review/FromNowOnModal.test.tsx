// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, it } from "vitest";
import type { Correction } from "~/api/types";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { run } from "~/testing/things";
import { FromNowOnModal } from "./FromNowOnModal";

const CORRECTIONS: Correction[] = [
  { kind: "header", header: "Contact", field: "email", sheet: null },
  { kind: "row", row: 3, sheet: null, label: "note" },
];
const DISCARD = "DELETE /configurations/c1/versions/4";
const ready = (status: string) => ({
  status: "ready",
  build_id: null,
  cases: [{ name: "march", status, differences: [], difference_count: 0, failure: null }],
  failure: null,
});

function serving(): Server {
  return new Server()
    .on("GET /configurations/c1/files", { items: [{ path: "tests/march/case.toml" }] })
    .on("GET /configurations/c1", { id: "c1", draft_version: 4 })
    .on("POST /configurations/c1/corrections/draft", { number: 4 })
    .on("POST /configurations/c1/tests", ready("passed"))
    .on("GET /configurations/c1/tests", ready("passed"))
    .on("POST /configurations/c1/publish", {})
    .on(DISCARD, null)
    .on("POST /runs/r1/run-again", { ...run(), id: "r2", version: 4 });
}

function Dialog() {
  const [isOpen, setOpen] = useState(true);
  const corrected = run({ id: "r1", configuration_id: "c1" });
  const close = () => setOpen(false);
  return isOpen && <FromNowOnModal run={corrected} corrections={CORRECTIONS} manifest={null} onClose={close} />;
}

it("leaves no draft behind when it is closed while the draft is made", async () => {
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  const server = serving().on("POST /configurations/c1/corrections/draft", () => held.then(() => ({ number: 4 })));
  const { user } = await open(Dialog, "/");
  await user.click(await screen.findByRole("button", { name: "Run the cases" }));
  await user.click(screen.getByRole("button", { name: "Not yet" }));
  expect(server.changes).not.toContain(DISCARD);
  answer();
  await waitFor(() => expect(server.changes).toContain(DISCARD));
});

it("goes on with the draft whose cases could not be started, and discards it when it is closed", async () => {
  const server = serving().on("POST /configurations/c1/tests", new Refusal(503, "busy", "Busy"));
  server.on("GET /configurations/c1/tests", { ...ready("passed"), status: "not_run", cases: [] });
  const { user } = await open(Dialog, "/");
  await user.click(await screen.findByRole("button", { name: "Run the cases" }));
  await screen.findByText("Busy");
  await user.click(await screen.findByRole("button", { name: "Run the cases" }));
  await user.click(screen.getByRole("button", { name: "Not yet" }));
  await waitFor(() => expect(server.changes.at(-1)).toBe(DISCARD));
  expect(server.changes.filter((one) => one.endsWith("/draft"))).toHaveLength(1);
});

it("publishes once, also when the document cannot be run at first, and discards nothing that is published", async () => {
  const server = serving().on("POST /runs/r1/run-again", new Refusal(503, "full", "The queue is full"));
  const { user } = await open(Dialog, "/");
  await user.click(await screen.findByRole("button", { name: "Run the cases" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Publish" })).toHaveProperty("disabled", false));
  await user.click(screen.getByRole("button", { name: "Publish" }));
  await screen.findByText("The queue is full");
  server.on("POST /runs/r1/run-again", { ...run(), id: "r2", version: 4 });
  await user.click(screen.getByRole("button", { name: "Publish" }));
  await screen.findByText("another page");
  expect(server.changes.filter((one) => one.endsWith("/publish"))).toHaveLength(1);
  expect(server.changes).not.toContain(DISCARD);
});
