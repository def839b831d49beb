/** Ticked rows. */

/** Return what is ticked after a click on a row, or, with Shift, on all rows from the last one clicked to it. */
export function ticked(chosen: ReadonlySet<string>, ids: string[], last: string | null, id: string): Set<string> {
  const next = new Set(chosen);
  const isOn = !chosen.has(id);
  for (const one of last === null ? [id] : between(ids, last, id)) {
    if (isOn) next.add(one);
    else next.delete(one);
  }
  return next;
}

function between(ids: string[], one: string, other: string): string[] {
  const [from, to] = [ids.indexOf(one), ids.indexOf(other)].sort((a, b) => a - b) as [number, number];
  return from < 0 ? [other] : ids.slice(from, to + 1);
}

export interface Outcome {
  done: number;
  errors: unknown[];
}

const AT_ONCE = 4;

/** Do the same with each of many, a few at a time; one that fails stops no other. */
export async function doAll<Item>(
  items: Item[],
  act: (item: Item) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const errors: unknown[] = [];
  let [next, done] = [0, 0];
  const work = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) {
      await act(item).catch((error: unknown) => errors.push(error));
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done: done - errors.length, errors };
}
