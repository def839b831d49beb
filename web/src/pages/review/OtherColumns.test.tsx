// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { columnLetters } from "~/logic/a1";
import { open } from "~/testing/page";
import { column, table } from "~/testing/things";
import { OtherColumns } from "./OtherColumns";

const SHARED = { values: new Map(), fields: [], forbidden: null, onChoose: () => {}, onColumn: () => {} };

function openColumns(count: number, chosenColumn: string | null = null) {
  const columns = Array.from({ length: count }, (_, place) =>
    column(columnLetters(place + 1), `Header ${place}`, null),
  );
  const props = { ...SHARED, table: table({ columns }), chosenColumn, onNewField: () => {} };
  return open(() => <OtherColumns {...props} />, "/");
}

it("lists the first of many columns, the chosen one, and all of them on request", async () => {
  const { user } = await openColumns(30, "Z");
  expect(screen.getAllByRole("listitem")).toHaveLength(13);
  expect(screen.getByText("Header 25")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Show all 30 columns" }));
  expect(screen.getAllByRole("listitem")).toHaveLength(30);
  expect(screen.queryByRole("button", { name: /Show all/ })).toBeNull();
});

it("lists a few columns without more ado", async () => {
  await openColumns(12);
  expect(screen.getAllByRole("listitem")).toHaveLength(12);
  expect(screen.queryByRole("button", { name: /Show all/ })).toBeNull();
});
