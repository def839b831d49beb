// @vitest-environment jsdom
import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Role } from "~/api/types";
import { open } from "~/testing/page";
import { column, run, table } from "~/testing/things";
import { pendingOf } from "../review/pending";
import { Suggestions } from "./Suggestions";

const contributions = [{ rule: "profile.kinds", delta: 0.4 }];
const suggestions = [
  { field: "email", confidence: 0.64, contributions },
  { field: "phone", confidence: 0.41, contributions: [] },
];

function openSuggestions(role: Role, header = "Contact") {
  const unsure = column("B", header, null, { reason: "unsure", suggestions });
  return open(
    () => <Suggestions run={run()} table={table({ columns: [unsure] })} column={unsure} manifest={null} />,
    "/",
    { role },
  );
}

it("lists the likely fields of a column, each with its probability, its reasons and a button", async () => {
  await openSuggestions("admin");
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    "It is email64 % likely. Evidence for it: its values look like the example’s.",
    "It is phone41 % likely. ",
  ]);
  expect(screen.getByRole("button", { name: "Column B is email" })).toHaveProperty("disabled", false);
});

it("lets nobody choose who may not change the configuration", async () => {
  await openSuggestions("viewer");
  expect(screen.getByRole("button", { name: "Column B is email" })).toHaveProperty("disabled", true);
});

it("makes the choice a correction that waits: by the header, or by the position of a column without one", async () => {
  await openSuggestions("operator");
  fireEvent.click(screen.getByRole("button", { name: "Column B is email" }));
  expect(pendingOf(run().id)).toMatchObject([{ kind: "header", header: "Contact", field: "email" }]);
  await openSuggestions("operator", "");
  fireEvent.click(screen.getAllByRole("button", { name: "Column B is phone" }).at(-1) as HTMLElement);
  expect(pendingOf(run().id).at(-1)).toMatchObject({ kind: "column", column: "B", field: "phone" });
});
