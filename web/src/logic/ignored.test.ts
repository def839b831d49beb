import { expect, it } from "vitest";
import { addIgnored, withoutIgnored } from "./ignored";

it.each([
  ["no settings", "", '[mapping]\nignore = ["Notes"]\n'],
  ["another table", "[output]\nhighlight = true\n", '[output]\nhighlight = true\n\n[mapping]\nignore = ["Notes"]\n'],
  ["a table without the key", "[mapping]\nthreshold = 0.4\n", '[mapping]\nignore = ["Notes"]\nthreshold = 0.4\n'],
  ["a table without anything", "[mapping]", '[mapping]\nignore = ["Notes"]\n'],
  [
    "a list",
    "[mapping]\nignore = ['Page']  # x\n[output]\n",
    "[mapping]\nignore = ['Page', \"Notes\"]  # x\n[output]\n",
  ],
])("a header is left out where there is %s", (_, before, after) => {
  expect(addIgnored(before, "Notes")).toBe(after);
  expect(addIgnored(after, "notes")).toBe(after);
});

it("a header is no longer left out", () => {
  expect(withoutIgnored('[mapping]\nignore = ["Page", "Notes"]\n', "notes")).toBe('[mapping]\nignore = ["Page"]\n');
  expect(withoutIgnored("[output]\nignore = 1\n", "Notes")).toBe("[output]\nignore = 1\n");
});
