/** Times and durations in words. */
import { LOCALE } from "./locale";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "3 minutes ago", "in 2 hours", "just now". */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const size = Math.abs(seconds);
  if (size < 10) return "just now";
  if (size < 60) return seconds < 0 ? `${size} s ago` : `in ${size} s`;
  if (size > 30 * 86_400) return at.toISOString().slice(0, 10);
  for (const [unit, length] of UNITS) if (size >= length) return relative.format(Math.trunc(seconds / length), unit);
  return "just now";
}

const absolute = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });

export function absoluteTime(at: Date): string {
  return absolute.format(at);
}

/** "0.8 s", "42 s", "3 min 5 s", "2 h 10 min". */
export function duration(seconds: number): string {
  if (seconds < 0.0005) return "0 s";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return joined(Math.floor(seconds / 60), "min", Math.round(seconds % 60), "s");
  if (seconds < 86_400) return joined(Math.floor(seconds / 3600), "h", Math.round((seconds % 3600) / 60), "min");
  return joined(Math.floor(seconds / 86_400), "d", Math.round((seconds % 86_400) / 3600), "h");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

export function secondsBetween(from: string, to: string | Date): number {
  return (new Date(to).getTime() - new Date(from).getTime()) / 1000;
}

/** When a run may start, as the range it is: "in 2 to 5 min", "any moment". */
export function startRange(estimate: { earliest_at: string; latest_at: string } | null, now: Date): string {
  if (!estimate) return "not known yet";
  const from = Math.max(0, secondsBetween(now.toISOString(), estimate.earliest_at));
  const to = Math.max(from, secondsBetween(now.toISOString(), estimate.latest_at));
  if (to < 5) return "any moment";
  const [first, last] = [rough(from), rough(to)];
  if (first === last) return `in about ${last}`;
  const [firstNumber, firstUnit] = first.split(" ");
  return firstUnit === last.split(" ")[1] ? `in ${firstNumber} to ${last}` : `in ${first} to ${last}`;
}

function rough(seconds: number): string {
  if (seconds < 50) return `${Math.max(1, Math.round(seconds / 5) * 5)} s`;
  if (seconds < 3000) return `${Math.max(1, Math.round(seconds / 60))} min`;
  return `${Math.max(1, Math.round(seconds / 3600))} h`;
}
