/** Server-sent events whose names are not known beforehand; the browser's EventSource hears only those it was told of. */
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

const AGAIN_MS = 2000;

/** Follow a stream until it says `end` or the signal ends it; a lost connection goes on behind the last event. */
export async function follow(
  path: string,
  after: number,
  take: (event: ServerEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let last = String(after);
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", "Last-Event-ID": last };
      const response = await fetch(addressOf(path), { headers, signal });
      if (!response.ok || !response.body) throw problemFrom(response.status, await response.text(), null);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new EventParser();
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
        for (const event of parser.take(chunk.value)) {
          if (event.name === "end") return;
          last = event.id ?? last;
          take(event);
        }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
