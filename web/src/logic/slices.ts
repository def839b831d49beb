/** Figures over time: every hour or day has its place, also those in which nothing happened. */
import type { AnalyticsSlice } from "~/api/types";
import { LOCALE } from "./locale";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// As the server does: by the hour up to three days, by the day beyond.
const LONGEST_BY_HOUR_MS = 3 * DAY_MS;

export type Slice = Omit<AnalyticsSlice, "at"> & { at: Date; label: string; shortLabel: string };

/** Return a slice for each hour, or each day of a long window, from its beginning until now. */
export function filled(since: string, slices: AnalyticsSlice[], now: Date): Slice[] {
  const step = now.getTime() - new Date(since).getTime() <= LONGEST_BY_HOUR_MS + HOUR_MS ? HOUR_MS : DAY_MS;
  const known = new Map(slices.map((slice) => [new Date(slice.at).getTime(), slice]));
  const first = Math.floor(new Date(since).getTime() / step) * step;
  const made: Slice[] = [];
  for (let time = first; time <= now.getTime(); time += step) {
    const at = new Date(time);
    made.push({ ...NOTHING, ...known.get(time), at, ...labels(at, step === DAY_MS) });
  }
  return made;
}

const NOTHING = { succeeded_count: 0, failed_count: 0, cancelled_count: 0, rejected_count: 0, utilisation: null };

const day = new Intl.DateTimeFormat(LOCALE, { month: "short", day: "numeric", timeZone: "UTC" });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: "short", month: "short", day: "numeric", timeZone: "UTC" });
const hour = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" });
const dayAndHour = new Intl.DateTimeFormat(LOCALE, { weekday: "short", hour: "2-digit", minute: "2-digit" });

function labels(at: Date, isDay: boolean): { label: string; shortLabel: string } {
  // The server's days are those of UTC.
  return isDay
    ? { label: weekday.format(at), shortLabel: day.format(at) }
    : { label: dayAndHour.format(at), shortLabel: hour.format(at) };
}

/** Return a round number at or above the largest value: 1, 2, 4, 5, 8 or 10 times a power of ten. */
export function roundTop(most: number): number {
  if (most <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 4, 5, 8, 10].find((step) => step * power >= most) ?? 10) * power;
}
