/** The log of a run: what happened (its events), then what its rules printed. */
import type { RunEvent } from "~/api/types";
import { counted } from "./numbers";

export type Level = "info" | "warning" | "error";

export interface LogLine {
  number: number;
  at: string | null;
  level: Level;
  text: string;
  source: "event" | "output";
}

export function logLines(events: RunEvent[], output: string): LogLine[] {
  const printed = output === "" ? [] : output.replace(/\n$/, "").split("\n");
  return [
    ...events.map((event, index) => eventLine(event, index + 1)),
    ...printed.map((text, index) => outputLine(text, events.length + index + 1)),
  ];
}

export function eventLine(event: RunEvent, number: number): LogLine {
  return { number, at: event.at, level: eventLevel(event), text: eventText(event), source: "event" };
}

/** Whether the next event says the same with a higher number, so that the log needs only that one. */
export function isOutdated(event: RunEvent, next: RunEvent | undefined): boolean {
  return event.type === "engine.rows.progress" && next?.type === event.type && next.sheet === event.sheet;
}

export function outputLine(text: string, number: number): LogLine {
  return { number, at: null, level: textLevel(text), text: withoutColours(text), source: "output" };
}

const OWN = new Set(["seq", "at", "type", "run_id", "build_id", "lifecycle"]);

export function eventText(event: RunEvent): string {
  if (event.type === "engine.rows.progress")
    return `${event.type}  ${typeof event.sheet === "string" ? `${event.sheet}: ` : ""}${counted(Number(event.rows), "row")} so far`;
  const facts = Object.entries(event)
    .filter(([name, value]) => !OWN.has(name) && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${factText(value)}`);
  return [event.type, ...facts].join("  ");
}

/** A verdict or a failure is its name and its sentence; other facts are shown as they are. */
function factText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { verdict, sentence, code, message } = value as Record<string, unknown>;
  const [name, words] = [verdict ?? code, sentence ?? message];
  return typeof name === "string" && typeof words === "string" ? `${name}: ${words}` : JSON.stringify(value);
}

function eventLevel(event: RunEvent): Level {
  if (/failed|crashed|terminated/.test(event.type) || event.status === "failed" || event.severity === "error")
    return "error";
  return /retried|expired|recovered|cancel|given_back|problem|network\.refused/.test(event.type) ? "warning" : "info";
}

function textLevel(text: string): Level {
  if (/\b(ERROR|CRITICAL|Traceback|[A-Z]\w*Error:)/.test(text)) return "error";
  return /\bWARN(ING)?\b/.test(text) ? "warning" : "info";
}

// eslint-disable-next-line no-control-regex -- colours of a terminal are control characters
const COLOURS = /\u001b\[[0-9;]*m/g;

function withoutColours(text: string): string {
  return text.replace(COLOURS, "");
}
