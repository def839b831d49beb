/** Finds values that are most likely the same: by what they have in common, and by how few letters differ. */

export interface Counted {
  value: string;
  count: number;
}

/** Values that look alike, the most frequent first. */
export type Cluster = Counted[];

const MOST_COMPARED = 1000;

/** What spellings of one value have in common: its words without case, accents and punctuation, in alphabetical order. */
export function fingerprint(value: string): string {
  const plain = value
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return [...new Set(plain.split(" "))].sort().join(" ");
}

/** How many letters differ, counting two that changed places as one; anything above the limit is limit + 1. */
export function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  const at = (row: number[], column: number): number => row[column] ?? limit + 1;
  let older: number[] = [];
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const isSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwapped ? at(older, column - 2) + 1 : limit + 1;
      current.push(
        Math.min(at(before, column) + 1, at(current, column - 1) + 1, at(before, column - 1) + cost, swapped),
      );
    }
    if (Math.min(...current) > limit) return limit + 1;
    [older, before] = [before, current];
  }
  return Math.min(at(before, other.length), limit + 1);
}

/** So many letters of a text may be wrong: none of a short one, or of one with digits, where each may matter. */
function tolerance(text: string): number {
  return /\p{N}/u.test(text) || text.length < 4 ? 0 : Math.min(3, Math.floor(text.length / 4));
}

/** The choice that a value most likely means, or null. */
export function nearestChoice(value: string, choices: readonly string[]): string | null {
  const print = fingerprint(value);
  if (print === "") return null;
  const prints = choices.map((choice) => ({ choice, print: fingerprint(choice) }));
  const equal = prints.filter((one) => one.print === print);
  if (equal.length > 0) return only(equal);
  const limit = tolerance(print);
  const near = prints.map((one) => ({ ...one, far: distance(print, one.print, limit) }));
  const least = Math.min(...near.map((one) => one.far));
  if (least <= limit) return only(near.filter((one) => one.far === least));
  return print.length < 2 ? null : only(prints.filter((one) => one.print.startsWith(print)));
}

/** The one that is meant, unless several could be. */
const only = (found: { choice: string }[]): string | null => (found.length === 1 ? (found[0]?.choice ?? null) : null);

/** Groups of values that look alike: those with the same fingerprint, and those of which few letters differ. */
export function clusters(values: readonly Counted[]): Cluster[] {
  const byPrint = new Map<string, Counted[]>();
  for (const one of [...values].sort((a, b) => b.count - a.count).slice(0, MOST_COMPARED)) {
    const print = fingerprint(one.value);
    if (print !== "") byPrint.set(print, [...(byPrint.get(print) ?? []), one]);
  }
  const found: { print: string; values: Counted[] }[] = [];
  for (const [print, members] of byPrint) {
    // Values come by frequency: a rare spelling joins the first frequent one it is near to.
    const near = found.find((one) => {
      const limit = Math.min(tolerance(print), tolerance(one.print));
      return limit > 0 && distance(print, one.print, limit) <= limit;
    });
    if (near) near.values.push(...members);
    else found.push({ print, values: [...members] });
  }
  return found
    .filter((one) => one.values.length > 1)
    .map((one) => one.values.sort((a, b) => b.count - a.count))
    .sort((a, b) => total(b) - total(a));
}

export function total(cluster: readonly Counted[]): number {
  return cluster.reduce((sum, one) => sum + one.count, 0);
}
