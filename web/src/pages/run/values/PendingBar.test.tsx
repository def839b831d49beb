// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { addPending, clearPending, pendingOf } from "~/pages/review/pending";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { run } from "~/testing/things";
import { PendingBar } from "./PendingBar";

it("leads to the review once, and keeps the corrections until the document runs with them", async () => {
  const server = new Server().on("POST /runs/run-1/run-again", new Refusal(503, "full", "The queue is full"));
  addPending("run-1", { kind: "value", field: "joined_on", value: "soon", new: null });
  const { user } = await open(() => <PendingBar run={run()} />, "/");
  expect(screen.getAllByRole("link").map((one) => one.textContent)).toEqual(["Review it"]);
  await user.click(screen.getByRole("button", { name: "Run this document with it" }));
  await screen.findByText("The queue is full");
  expect(pendingOf("run-1")).toHaveLength(1);
  server.on("POST /runs/run-1/run-again", run({ id: "run-2" }));
  await user.click(screen.getByRole("button", { name: "Run this document with it" }));
  await screen.findByText("another page");
  expect(pendingOf("run-1")).toEqual([]);
  clearPending("run-1");
});
