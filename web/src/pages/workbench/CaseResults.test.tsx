// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import "~/testing/browser";
import type { CaseReports } from "~/api/types";
import { areUnderWay, CaseResults, havePassed } from "./CaseResults";

const passed = { name: "march", status: "passed", differences: [], difference_count: 0, failure: null };
const wrong = {
  name: "april",
  status: "differs",
  differences: ["expected.csv: B3 (qty): expected '3', got '2'"],
  difference_count: 3,
  failure: null,
};
const tests = (facts: Partial<CaseReports>): CaseReports => ({
  status: "ready",
  build_id: null,
  cases: [],
  failure: null,
  ...facts,
});

describe("cases of a draft", () => {
  const onTest = vi.fn();
  const show = (found: CaseReports) =>
    render(
      <MantineProvider>
        <CaseResults tests={found} isPending={false} onTest={onTest} />
      </MantineProvider>,
    );

  it("name the cells that differ, and count the rest", () => {
    show(tests({ cases: [passed, wrong] }));
    expect(screen.getByRole("status").textContent).toBe("1 of 2 cases passed.");
    expect(screen.getByText(/B3 \(qty\)/)).toBeTruthy();
    expect(screen.getByText("and 2 more differences")).toBeTruthy();
    expect(screen.queryByText("march")).toBeNull();
  });

  it("are run by a button when they were not", async () => {
    show(tests({ status: "not_run" }));
    await userEvent.click(screen.getByRole("button", { name: "Run the cases" }));
    expect(onTest).toHaveBeenCalledOnce();
  });

  it("let a draft be published when there are none, or all have passed", () => {
    expect(havePassed(tests({ status: "none" }))).toBe(true);
    expect(havePassed(tests({ cases: [passed] }))).toBe(true);
    expect(havePassed(tests({ cases: [passed, wrong] }))).toBe(false);
    expect(havePassed(tests({ status: "building" }))).toBe(false);
    expect(havePassed(undefined)).toBe(false);
    expect(areUnderWay(tests({ status: "queued" }))).toBe(true);
  });
});
