/** What a review asks of a person: which column each field has, and which columns are unknown. */
import type { Artifact, ArtifactColumn, ArtifactTable } from "~/api/artifact";
import type { Manifest } from "~/api/manifest";
import type { CellRow } from "~/api/types";
import { parseRange, rangeName } from "./a1";
import { cellText } from "./changes";
import { leftOutRows, percent } from "./explain";
import { cellsOf, firstRecords, isTurned } from "./turned";
import { fitsType, lookOf, lookWords, type ValueLook } from "./valueKinds";

export interface ReviewedField {
  name: string;
  label: string;
  type: string | null;
  isRequired: boolean;
  /** The columns that feed it; none: it was not found. */
  columns: ArtifactColumn[];
  /** Whether the configuration expects it in every document. */
  isMissing: boolean;
  candidates: Candidate[];
}

export interface Candidate {
  column: ArtifactColumn;
  evidence: string;
}

interface ColumnValues {
  samples: string[];
  look: ValueLook | null;
}

/** The values of each column, by its letters. */
export type Values = ReadonlyMap<string, ColumnValues>;

const EVIDENCE_ROWS = 100;
const MOST_CELLS = 20_000;
const MOST_SAMPLES = 3;
const MOST_CANDIDATES = 3;

/** The range of the first data rows, which samples and evidence are taken from. */
export function evidenceRange(table: ArtifactTable): string | null {
  const range = parseRange(table.range);
  if (!range) return null;
  if (isTurned(table)) return firstRecords(table, range, EVIDENCE_ROWS);
  const firstRow = Math.max(range.firstRow, ...table.header.rows.map((row) => row + 1));
  const width = range.lastColumn - range.firstColumn + 1;
  const most = Math.max(1, Math.min(EVIDENCE_ROWS, Math.floor(MOST_CELLS / width)));
  if (firstRow > range.lastRow) return null;
  return rangeName({ ...range, firstRow, lastRow: Math.min(range.lastRow, firstRow + most - 1) });
}

/** The values in the columns of a table, as far as these rows hold any. */
export function valuesOf(table: ArtifactTable, rows: CellRow[]): Values {
  const left = leftOutRows(table);
  const data = rows.filter(({ row }) => !left.has(row));
  return new Map(
    table.columns.map(({ source }) => {
      const cells = cellsOf(table, data, source);
      const texts = cells.map((cell) => cellText(cell).trim()).filter(Boolean);
      return [source, { samples: [...new Set(texts)].slice(0, MOST_SAMPLES), look: lookOf(cells) }];
    }),
  );
}

/** The fields of a configuration and what a table has of them: those that are missing come first. */
export function reviewedFields(
  artifact: Artifact,
  table: ArtifactTable,
  manifest: Manifest | null,
  values: Values,
): ReviewedField[] {
  const expected = artifact.configuration?.expected ?? [];
  const known = new Map(manifest?.fields.map((field) => [field.name, field]));
  const names = [...new Set([...expected.map(({ field }) => field), ...mappedNames(table)])];
  const fields = names.map((name): ReviewedField => {
    const wanted = expected.find(({ field }) => field === name);
    const type = known.get(name)?.type ?? null;
    const columns = table.columns.filter((column) => column.target === name);
    const isMissing = columns.length === 0 && wanted !== undefined;
    return {
      name,
      label: wanted?.label ?? known.get(name)?.label ?? name,
      type,
      isRequired: wanted?.is_required ?? false,
      columns,
      isMissing,
      candidates: isMissing ? candidatesFor(name, type, table, values) : [],
    };
  });
  return [...fields.filter(({ isMissing }) => isMissing), ...fields.filter(({ isMissing }) => !isMissing)];
}

function mappedNames(table: ArtifactTable): string[] {
  return table.columns.flatMap(({ target }) => (target === null ? [] : [target]));
}

/** The columns that are likely to be a field, the likeliest first. */
function candidatesFor(field: string, type: string | null, table: ArtifactTable, values: Values): Candidate[] {
  const weighed = openColumns(table).map((column) => ({ column, weight: weightOf(column, field, type, values) }));
  return weighed
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_CANDIDATES)
    .map(({ column }) => ({ column, evidence: evidenceOf(column, field, values) }));
}

/** The columns that no decision was made about. */
export function openColumns(table: ArtifactTable): ArtifactColumn[] {
  return table.columns.filter(({ target, reason }) => target === null && !DECIDED.includes(reason));
}

const DECIDED: ArtifactColumn["reason"][] = ["ignored", "kept", "unpivoted"];

const OF_ITS_TYPE = 0.2; // weaker than any suggestion
const RIVAL = 0.3;

function weightOf(column: ArtifactColumn, field: string, type: string | null, values: Values): number {
  const suggested = column.suggestions.find((one) => one.field === field);
  if (suggested) return 1 + suggested.confidence;
  const isRival = column.runner_up?.field === field;
  return (isRival ? RIVAL : 0) + (fitsType(values.get(column.source)?.look ?? null, type) ? OF_ITS_TYPE : 0);
}

function evidenceOf(column: ArtifactColumn, field: string, values: Values): string {
  const suggested = column.suggestions.find((one) => one.field === field);
  const look = lookWords(values.get(column.source)?.look ?? null);
  return suggested ? `${percent(suggested.confidence)} likely; ${look}` : look;
}

const CERTAIN = 0.98;
const LIKELY = 0.9;

/** How certain it is that a column is its field, in words. */
export function certaintyWords({ reason, confidence }: ArtifactColumn): string {
  if (reason === "corrected") return "chosen by a person";
  if (reason === "hook") return "decided by a hook";
  if (confidence === null || confidence >= CERTAIN) return "certain";
  return confidence >= LIKELY ? "likely" : "uncertain, please check";
}

/** The name of a column for people. */
export function columnName({ source, header }: ArtifactColumn): string {
  return header.trim() ? `${source} · ${header}` : `${source} · no header`;
}

const STATES: Partial<Record<ArtifactColumn["reason"], string>> = {
  ignored: "left out",
  kept: "kept as it is",
  unpivoted: "becomes rows",
};

/** What became of a column that is no field. */
export function stateWords({ reason }: ArtifactColumn): string {
  return STATES[reason] ?? "unknown";
}
