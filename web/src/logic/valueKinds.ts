/** What the values of a column look like, in words people use. */
import type { CellValue } from "~/api/types";
import { cellText } from "./changes";

type Kind = "e-mail addresses" | "web addresses" | "dates" | "times" | "numbers" | "yes or no" | "texts";

const OF_TYPE: Partial<Record<CellValue["type"], Kind>> = {
  number: "numbers",
  boolean: "yes or no",
  date: "dates",
  datetime: "dates",
  time: "times",
  duration: "times",
};

// Only texts of this length are compared with patterns: longer ones are prose.
const LONGEST = 100;
const OF_TEXT: [RegExp, Kind][] = [
  [/^[^\s@]+@[^\s@]+\.[^\s@.]+$/, "e-mail addresses"],
  [/^(https?:\/\/|www\.)\S+$/i, "web addresses"],
  [/^\d{4}-\d{1,2}-\d{1,2}([T ].*)?$/, "dates"],
  [/^\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})$/, "dates"],
  [/^\d{1,2} [A-Za-zÀ-ÿ]{3,10}\.? \d{4}$/, "dates"],
  [/^\d{1,2}:\d{2}(:\d{2})?$/, "times"],
  [/^[+-]?\d[\d.,' ]*%?$/, "numbers"],
];

function kindOf(cell: CellValue): Kind {
  const ofType = OF_TYPE[cell.type];
  if (ofType) return ofType;
  const text = cellText(cell).trim();
  return (text.length <= LONGEST && OF_TEXT.find(([pattern]) => pattern.test(text))?.[1]) || "texts";
}

export interface ValueLook {
  /** What most of the values are. */
  kind: Kind;
  count: number;
  total: number;
  distinct: number;
}

/** What most of the values look like; null without any. */
export function lookOf(cells: (CellValue | null)[]): ValueLook | null {
  const filled = cells.filter((cell): cell is CellValue => cell !== null && cellText(cell).trim() !== "");
  if (filled.length === 0) return null;
  const counts = new Map<Kind, number>();
  for (const cell of filled) {
    const kind = kindOf(cell);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const [kind, count] = [...counts].reduce((best, other) => (other[1] > best[1] ? other : best));
  return { kind, count, total: filled.length, distinct: new Set(filled.map(cellText)).size };
}

/** "38 of 38 look like e-mail addresses", or how many different texts there are. */
export function lookWords(look: ValueLook | null): string {
  if (!look) return "no values";
  const { kind, count, total, distinct } = look;
  if (kind !== "texts") return `${count} of ${total} look like ${kind}`;
  if (distinct === total) return `${total} different texts`;
  return `${distinct} different ${distinct === 1 ? "text" : "texts"} in ${total} cells`;
}

/** The type of field that values of a kind fit. */
export function fitsType(look: ValueLook | null, type: string | null | undefined): boolean {
  if (!look || !type) return false;
  const fits: Partial<Record<Kind, string[]>> = {
    dates: ["date", "datetime"],
    times: ["time"],
    numbers: ["integer", "number", "money", "percent"],
    "yes or no": ["boolean"],
  };
  return look.count > look.total / 2 && (fits[look.kind]?.includes(type) ?? false);
}
