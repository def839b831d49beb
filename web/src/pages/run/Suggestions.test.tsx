// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Role } from "~/api/types";
import { open } from "~/testing/page";
import { column, run } from "~/testing/things";
import { Suggestions } from "./Suggestions";

const contributions = [{ rule: "profile.kinds", delta: 0.4 }];
const suggestions = [
  { field: "email", confidence: 0.64, contributions },
  { field: "phone", confidence: 0.41, contributions: [] },
];

function openSuggestions(role: Role, header = "Contact") {
  const unsure = column("B", header, null, { reason: "unsure", suggestions });
  return open(() => <Suggestions run={run()} column={unsure} manifest={null} />, "/", { role });
}

it("lists the likely fields of a column, each with its probability, its reasons and a button", async () => {
  await openSuggestions("admin");
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    "Column B is email64 % likely. Evidence for it: its values look like the example’s.",
    "Column B is phone41 % likely. ",
  ]);
  expect(screen.getByRole("button", { name: "Column B is email" })).toHaveProperty("disabled", false);
});

it("lets nobody choose who may not change the configuration", async () => {
  await openSuggestions("viewer");
  expect(screen.getByRole("button", { name: "Column B is email" })).toHaveProperty("disabled", true);
});

it("lets nobody choose for a column without a header, which a name cannot tell", async () => {
  await openSuggestions("admin", "");
  expect(screen.getByRole("button", { name: "Column B is phone" })).toHaveProperty("disabled", true);
});
