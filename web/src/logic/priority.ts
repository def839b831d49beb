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

/** The name of a priority, or the number where it has none. */
export function priorityName(priority: number): string {
  return LEVELS.find((level) => level.priority === priority)?.name ?? String(priority);
}

/** The band of the queue a priority is shown in: that of the nearest level at or above it. */
export function bandOf(priority: number): Level {
  const above = LEVELS.filter((level) => level.priority <= priority);
  return above.at(-1) ?? (LEVELS[0] as Level);
}
