import { expect, it } from "vitest";
import type { Version } from "~/api/types";
import { comparedVersions, isDiscarded, versionWords } from "./versions";

const version = (number: number, status: Version["status"], isPublished = status !== "draft"): Version =>
  ({ number, status, published_at: isPublished ? "2026-01-01T00:00:00Z" : null }) as Version;
const discarded = (number: number): Version => version(number, "archived", false);

it("a draft that was never published is discarded, not archived", () => {
  expect(isDiscarded(discarded(2))).toBe(true);
  expect(isDiscarded(version(1, "archived"))).toBe(false);
  expect([discarded(2), version(1, "archived"), version(3, "draft")].map(versionWords)).toEqual([
    "Version 2 (discarded)",
    "Version 1",
    "Version 3 (draft)",
  ]);
});

it.each([
  ["past a discarded draft", [version(3, "published"), discarded(2), version(1, "archived")], { before: 1, after: 3 }],
  ["a draft and what is published", [version(2, "draft"), version(1, "published")], { before: 1, after: 2 }],
  ["not the newest when that is discarded", [discarded(2), version(1, "published")], { before: 2, after: 1 }],
  ["nothing with one version", [version(1, "draft")], null],
  ["nothing without versions", [], null],
])("compared is %s", (_, versions, expected) => {
  expect(comparedVersions(versions)).toEqual(expected);
});
