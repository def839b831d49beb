/** What became of the files of an upload, in words. */
import { count, counted } from "./numbers";

export interface Sending {
  state: "waiting" | "sending" | "sent" | "refused";
  share: number;
  file: { name: string; size: number };
}

/** "2 of 7 can run, 5 were refused". */
export function uploadSummary(entries: Sending[]): string {
  const of = (...states: Sending["state"][]): number => entries.filter(({ state }) => states.includes(state)).length;
  const [open, sent, refused] = [of("waiting", "sending"), of("sent"), of("refused")];
  const parts = [
    open > 0 ? `${count(sent)} of ${count(entries.length)} uploaded` : `${ofAll(sent, entries.length)} can run`,
    ...(refused > 0 ? [`${count(refused)} ${refused === 1 ? "was" : "were"} refused`] : []),
  ];
  return parts.join(", ");
}

function ofAll(part: number, all: number): string {
  return `${part === 0 ? "None" : count(part)} of ${counted(all, "file")}`;
}

/** The files that can run above those that cannot; each kind in the order it was chosen. */
export function goodFirst<Entry extends Pick<Sending, "state">>(entries: Entry[]): Entry[] {
  return [...entries].sort((one, two) => Number(one.state === "refused") - Number(two.state === "refused"));
}

/** How much of all files is uploaded, from 0 to 1. */
export function shareOf(entries: Sending[]): number {
  const sizes = entries.map((entry) => Math.max(1, entry.file.size));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const done = entries.map((entry, place) => (isOpen(entry) ? entry.share : 1) * (sizes[place] ?? 0));
  return all === 0 ? 0 : done.reduce((sum, size) => sum + size, 0) / all;
}

export function isOpen({ state }: Pick<Sending, "state">): boolean {
  return state === "waiting" || state === "sending";
}

const MOST_NAMES = 4;

/** "a.xlsx, b.xlsx and 5 more". */
export function namesOf(names: string[]): string {
  if (names.length <= MOST_NAMES) return names.join(", ");
  return `${names.slice(0, MOST_NAMES - 1).join(", ")} and ${count(names.length - MOST_NAMES + 1)} more`;
}
