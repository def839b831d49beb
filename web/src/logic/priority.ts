/** The named priorities; any number from 0 to 100 is one too, and lower runs first. */

export interface Level {
  name: string;
  priority: number;
}

export const LEVELS: readonly Level[] = [
  { name: "urgent", priority: 10 },
  { name: "high", priority: 20 },
  { name: "normal", priority: 50 },
  { name: "low", priority: 70 },
  { name: "background", priority: 90 },
];

export const NORMAL = 50;

/** The name of a priority; between two levels that of its band, with the number. */
export function priorityName(priority: number): string {
  const band = bandOf(priority);
  return band.priority === priority ? band.name : `${band.name} (${priority})`;
}

/** The band of the queue a priority is shown in: that of the nearest level at or above it. */
export function bandOf(priority: number): Level {
  const above = LEVELS.filter((level) => level.priority <= priority);
  return above.at(-1) ?? (LEVELS[0] as Level);
}
