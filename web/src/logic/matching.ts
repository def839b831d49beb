/** Finds the columns of one document in another: by sheet and header, then by header, then by field. */
import type { Artifact, ArtifactColumn } from "~/api/artifact";
import { comparable } from "./headers";
import { tablesOf } from "./explain";

interface PlacedColumn {
  sheet: string | null;
  column: ArtifactColumn;
  /** Its header without case, spaces and punctuation. */
  words: string;
}

export interface Pair {
  before: PlacedColumn | null;
  after: PlacedColumn | null;
  /** The later one, where there is one. */
  newest: PlacedColumn;
}

type Test = (one: PlacedColumn, other: PlacedColumn) => boolean;

const sameSheet: Test = (one, other) => one.sheet === other.sheet;
const sameHeader: Test = (one, other) => one.words === other.words;
const named: Test = (one) => one.words !== "";
const sameField: Test = (one, other) => one.column.target !== null && one.column.target === other.column.target;
const samePlace: Test = (one, other) => one.column.source === other.column.source;
const all =
  (...tests: Test[]): Test =>
  (one, other) =>
    tests.every((test) => test(one, other));

/** Return each column with its counterpart, in the order of the later document; what has none comes last. */
export function matchedColumns(before: Artifact, after: Artifact): Pair[] {
  const [left, right] = [columnsOf(before), columnsOf(after)];
  const found = new Map<PlacedColumn, PlacedColumn>();
  for (const test of testsFor(before, after))
    for (const other of right.filter((one) => !found.has(one))) {
      const place = left.findIndex((one) => test(one, other));
      const [one] = place < 0 ? [] : left.splice(place, 1);
      if (one) found.set(other, one);
    }
  return [
    ...right.map((column) => ({ before: found.get(column) ?? null, after: column, newest: column })),
    ...left.map((column) => ({ before: column, after: null, newest: column })),
  ];
}

/** From the surest to the weakest. Where a column is counts only in the same document, where it cannot have moved. */
function testsFor(before: Artifact, after: Artifact): Test[] {
  return [
    ...(isSameDocument(before, after) ? [all(sameSheet, samePlace, sameHeader)] : []),
    all(sameSheet, sameHeader, sameField),
    all(sameSheet, sameHeader),
    all(named, sameHeader, sameField),
    all(named, sameHeader),
    all(sameSheet, sameField),
    sameField,
    ...(isSameDocument(before, after) ? [all(sameSheet, samePlace)] : []),
  ];
}

export function isSameDocument(before: Artifact, after: Artifact): boolean {
  return before.input.sha256 !== undefined && before.input.sha256 === after.input.sha256;
}

function columnsOf(artifact: Artifact): PlacedColumn[] {
  return tablesOf(artifact).flatMap(({ sheet, table }) =>
    table.columns.map((column) => ({ sheet, column, words: comparable(column.header) })),
  );
}
