/** Server-sent events whose names are not known beforehand; the browser's EventSource hears only those it knows. */
import { addressOf, problemFrom } from "./client";

export interface ServerEvent {
  id: string | null;
  name: string;
  data: string;
}

/** Cuts a stream of text into events; what is not complete yet waits for the next piece. */
export class EventParser {
  private rest = "";

  take(piece: string): ServerEvent[] {
    const parts = (this.rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    this.rest = parts.pop() ?? "";
    return parts.map(parseEvent).filter((event) => event !== null);
  }
}

function parseEvent(block: string): ServerEvent | null {
  const data: string[] = [];
  let id: string | null = null;
  let name = "message";
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    if (field === "data") data.push(value ?? "");
    else if (field === "id") id = value ?? null;
    else if (field === "event") name = value ?? name;
  }
  return data.length === 0 ? null : { id, name, data: data.join("\n") };
}

/** Longer than the server is ever silent: it sends a sign of life every fifteen seconds. */
const SILENCE_MS = 40_000;

/** Nobody is signed in. */
export class Refused extends Error {}

/** Read the stream of changes, and of the events of some runs, until it ends. Raise when it cannot be read. */
export async function listen(
  path: string,
  runs: [string, number][],
  last: string | null,
  signal: AbortSignal,
  opened: () => void,
  take: (event: ServerEvent) => void,
): Promise<void> {
  const silence = new AbortController();
  const search = new URLSearchParams(runs.map(([run, seq]) => ["run", `${run}:${seq}`])).toString();
  const headers = { Accept: "text/event-stream", ...(last !== null && { "Last-Event-ID": last }) };
  const both = AbortSignal.any([signal, silence.signal]);
  let alarm = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await fetch(`${addressOf(path)}${search && `?${search}`}`, { headers, signal: both });
    if (response.status === 401) throw new Refused();
    if (!response.ok || !response.body) throw problemFrom(response.status, await response.text(), null);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventParser();
    let isOpen = false;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (!isOpen) opened(); // with its first bytes the server says that no change will be missed from here on
      isOpen = true;
      clearTimeout(alarm);
      alarm = setTimeout(() => silence.abort(), SILENCE_MS);
      parser.take(chunk.value).forEach(take);
    }
  } finally {
    clearTimeout(alarm);
  }
}
