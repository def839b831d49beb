/** Reads a log as far as it is written, then what is added to it. */
import type { LogText } from "~/logic/logText";
import { addressOf, problemFrom } from "./client";

/** What a page can hold; of a longer log, the end. */
export const MOST_BYTES = 256 * 1024 * 1024;
const AGAIN_MS = 1000;

export interface LogReading {
  log: LogText;
  /** The byte of the file that the first byte of `log` is. */
  skipped: number;
  total: number;
}

/** Read on from where the reading stands. */
export async function readOn(reading: LogReading, path: string, signal: AbortSignal, tell: () => void): Promise<void> {
  const { log } = reading;
  if (reading.total === 0) await begin(reading, path, signal);
  const headers = { Range: `bytes=${reading.skipped + log.size}-` };
  const response = await fetch(addressOf(path), { headers, signal });
  if (response.status === 416) return; // nothing was added
  if (!response.ok || !response.body) throw problemFrom(response.status, await response.text(), null);
  reading.total = totalOf(response) ?? reading.total;
  log.reserve(reading.total - reading.skipped);
  const reader = response.body.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    log.append(chunk.value);
    tell();
  }
}

async function begin(reading: LogReading, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(addressOf(path), { headers: { Range: "bytes=0-0" }, signal });
  await response.arrayBuffer();
  reading.total = totalOf(response) ?? 0;
  reading.skipped = Math.max(0, reading.total - MOST_BYTES);
}

function totalOf(response: Response): number | null {
  const found = /\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "");
  return found ? Number(found[1]) : null;
}

export async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
