import type { QueuedRun } from "~/api/types";

/** Return the runs that have all these words in their names, by their place. */
export function matching(items: QueuedRun[], words: string): Map<number, QueuedRun> {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = (one: QueuedRun): string =>
    `${one.document_name} ${one.configuration_name} ${one.submitted_by ?? ""}`.toLowerCase();
  const found = items.filter((one) => wanted.every((word) => textOf(one).includes(word)));
  return new Map(found.map((one) => [one.position - 1, one]));
}
