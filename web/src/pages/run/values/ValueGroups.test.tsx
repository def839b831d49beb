// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { Role, ValueGroup } from "~/api/types";
import { clearPending, pendingOf } from "~/pages/review/pending";
import { open } from "~/testing/page";
import { Server } from "~/testing/server";
import { run } from "~/testing/things";
import { ValueGroups } from "./ValueGroups";

const group = (value: string, count: number): ValueGroup => ({
  field: "town",
  rule: "checks.town",
  severity: "warning",
  message: "Unknown",
  value,
  is_cut: false,
  count,
  cells: [],
});

function openGroups(role: Role) {
  const items = [group("Manchester", 3), group("manchester ", 1)];
  new Server().on("GET /runs/run-1/issues/values", { items, group_count: 2, is_complete: true });
  return open(() => <ValueGroups run={run()} pendingRunId="run-1" manifest={null} />, "/", { role });
}

beforeEach(() => clearPending("run-1"));

it("gives similar values one spelling, without spaces around it", async () => {
  const { user } = await openGroups("operator");
  await user.click(await screen.findByRole("button", { name: "1 group of similar values" }));
  await user.type(screen.getByRole("textbox", { name: /^One spelling for/ }), " ");
  await user.click(screen.getByRole("button", { name: "Use it for 4 cells" }));
  expect(pendingOf("run-1")).toEqual([{ kind: "value", field: "town", value: "manchester ", new: "Manchester" }]);
});

it("offers a viewer nothing to decide", async () => {
  await openGroups("viewer");
  await screen.findByText("Manchester");
  expect(screen.getAllByRole("button").map((one) => one.textContent)).toEqual(["Show cells", "Show cells"]);
});
