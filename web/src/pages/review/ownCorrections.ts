import type { Correction, Run } from "~/api/types";

export type Made = Correction & { id: string; by?: string | null; at?: string | null; document?: string | null };

/** What was corrected for the document of a run alone. */
export const madeWith = (run: Run): Made[] => (run.corrections ?? []) as unknown as Made[];

/** Who made corrections, each named once. */
export const authorsOf = (made: readonly Made[]): string =>
  [...new Set(made.map(({ by }) => by).filter(Boolean))].join(", ");

const ABOUT = ["id", "by", "at", "document"];

/** A correction as it is sent: without who made it, when and why. */
export function withoutAuthor(one: Correction): Correction {
  return Object.fromEntries(Object.entries(one).filter(([key]) => !ABOUT.includes(key))) as unknown as Correction;
}
