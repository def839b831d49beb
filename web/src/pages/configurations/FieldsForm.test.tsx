// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { InferredField } from "~/api/types";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { configuration, document } from "~/testing/things";
import { FieldsForm } from "./FieldsForm";

const FIELD = {
  name: "town",
  label: "Town",
  type: "text",
  day_first: null,
  required: false,
  unique: false,
  kind: null,
  aliases: [],
  samples: [],
  filled_count: 1,
  value_count: 1,
  different_count: 1,
} as never as InferredField;

async function publish(server: Server): Promise<string> {
  const opened = await open(() => <FieldsForm document={document()} inferred={[FIELD]} />, "/");
  server.on("POST /workspaces/w1/configurations", configuration({ id: "c9" }));
  await opened.user.click(screen.getByRole("button", { name: "Publish" }));
  await screen.findByText("another page");
  return opened.address();
}

it("goes to what was published when the example cannot be run", async () => {
  const server = new Server()
    .on("POST /configurations/c9/publish", {})
    .on("POST /configurations/c9/runs", new Refusal(503, "full", "The queue is full"));
  expect(await publish(server)).toBe("/configurations/c9");
  expect(await screen.findByText("The queue is full")).toBeTruthy();
});

it("opens the draft when it cannot be published", async () => {
  const server = new Server().on("POST /configurations/c9/publish", new Refusal(409, "wrong", "It has problems"));
  expect(await publish(server)).toBe("/configurations/c9/edit?document=d1");
  expect(await screen.findByText("It has problems")).toBeTruthy();
});
