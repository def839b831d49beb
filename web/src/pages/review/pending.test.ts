// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import type { Correction } from "~/api/types";
import { followSignOut, forgetEverywhere, SIGNED_OUT } from "~/shell/signedOut";
import { addPending, clearPending, pendingOf, removePending } from "./pending";

const RUN = "a run";
const header = (name: string, field: string | null, sheet: string | null = null): Correction => ({
  kind: "header",
  header: name,
  field,
  sheet,
});
const value = (words: string, becomes: string | null): Correction => ({
  kind: "value",
  field: "joined_on",
  value: words,
  new: becomes,
});

beforeEach(() => {
  sessionStorage.clear();
  clearPending(RUN);
});

test("a later correction of the same thing replaces the earlier one, and others stay", () => {
  addPending(RUN, header("Mail address", "email"), value("soon", null));
  addPending(RUN, header("mail-address", "contact"));
  expect(pendingOf(RUN)).toEqual([value("soon", null), header("mail-address", "contact")]);
});

test("a column takes its field from the column it was given to, on the same sheet alone", () => {
  addPending(RUN, header("Mail", "email"), header("Mail", "email", "Old"));
  addPending(RUN, { kind: "column", column: "C", field: "email", sheet: null });
  expect(pendingOf(RUN).map((one) => one.kind)).toEqual(["header", "column"]);
  addPending(RUN, header("A", null), header("B", null));
  expect(pendingOf(RUN)).toHaveLength(4);
});

test("a range replaces those of the same sheet that it overlaps", () => {
  const range = (name: string, sheet: string | null = null): Correction => ({
    kind: "range",
    range: name,
    sheet,
    header_rows: 1,
  });
  addPending(RUN, range("A1:C9"), range("A20:C29"), range("A1:C9", "Old"));
  addPending(RUN, range("B5:D12"));
  expect(pendingOf(RUN)).toEqual([range("A20:C29"), range("A1:C9", "Old"), range("B5:D12")]);
});

test("corrections are removed by what they are about, and each run has its own", () => {
  addPending(RUN, value("soon", null), value("later", "2024-01-01"));
  addPending("another", value("soon", null));
  removePending(RUN, value("soon", "anything"));
  expect(pendingOf(RUN)).toEqual([value("later", "2024-01-01")]);
  expect(pendingOf("another")).toHaveLength(1);
  clearPending("another");
});

test("what waits outlasts the page, and damaged notes are nothing", () => {
  addPending(RUN, value("soon", null));
  expect(sessionStorage.getItem(`ade-pending:${RUN}`)).toContain("soon");
  clearPending(RUN);
  expect(sessionStorage.getItem(`ade-pending:${RUN}`)).toBeNull();
  sessionStorage.setItem("ade-pending:damaged", "{");
  expect(pendingOf("damaged")).toEqual([]);
});

test("nothing is left of them after signing out, here or in another tab", () => {
  addPending(RUN, value("soon", null));
  forgetEverywhere();
  expect(pendingOf(RUN)).toEqual([]);
  expect(Object.keys(sessionStorage)).toEqual([]);
  addPending(RUN, value("soon", null));
  const stop = followSignOut();
  window.dispatchEvent(new StorageEvent("storage", { key: "another" }));
  expect(pendingOf(RUN)).toHaveLength(1);
  window.dispatchEvent(new StorageEvent("storage", { key: SIGNED_OUT }));
  stop();
  expect(pendingOf(RUN)).toEqual([]);
  expect(Object.keys(sessionStorage)).toEqual([]);
});

test("a new field goes with its column, and its column with it", () => {
  const made: Correction = { kind: "new_field", field: "town", label: "Town", type: "text" };
  addPending(RUN, made, header("Town", "town"));
  expect(pendingOf(RUN)).toHaveLength(2);
  addPending(RUN, header("Town", null));
  expect(pendingOf(RUN)).toEqual([header("Town", null)]);
  addPending(RUN, made, header("Town", "town"), value("soon", null));
  removePending(RUN, made);
  expect(pendingOf(RUN)).toEqual([value("soon", null)]);
  addPending(RUN, made, header("Town", "town"));
  removePending(RUN, header("Town", "town"));
  expect(pendingOf(RUN)).toEqual([value("soon", null)]);
});
