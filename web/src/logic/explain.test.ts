import { expect, it } from "vitest";
import type { Artifact, ArtifactTable } from "~/api/artifact";
import { outputNumber } from "./explain";

it("finds the sheet of a table behind sheets of totals", () => {
  const outputs = ["Leeds", "Leeds totals", "York", "York totals"].map((name) => ({ name, file: "normalized.xlsx" }));
  const numbers = ["Leeds", "York", "gone"].map((output) =>
    outputNumber({ outputs } as Artifact, { output } as ArtifactTable),
  );
  expect(numbers).toEqual([0, 2, 0]);
});
