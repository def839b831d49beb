/** Reads a log as far as it is written, then what is added to it. */
import type { LogText } from "~/logic/logText";
import { addressOf, problemFrom } from "./client";

/** What a page can hold; of a longer log, the end. */
const MOST_BYTES = 256 * 1024 * 1024;
const AGAIN_MS = 1000;

export interface LogReading {
  log: LogText;
  /** The byte of the file that the first byte of `log` is. */
  skipped: number;
  total: number;
}

/** Continue reading from the current position. */
export async function readOn(
  reading: LogReading,
  path: string,
  signal: AbortSignal,
  notify: () => void,
): Promise<void> {
  const { log } = reading;
  const total = await sizeOf(path, signal);
  if (reading.total === 0) reading.skipped = Math.max(0, total - MOST_BYTES);
  const from = reading.skipped + log.size;
  if (total <= from) return;
  reading.total = total;
  log.reserve(total - reading.skipped);
  const response = await fetch(addressOf(path), { headers: { Range: `bytes=${from}-${total - 1}` }, signal });
  if (!response.ok || !response.body) throw problemFrom(response.status, await response.text(), null);
  const reader = response.body.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    log.append(chunk.value);
    notify();
  }
}

/** How long the log is by now. Asked for with its last byte: of a part that is not there the console would complain. */
async function sizeOf(path: string, signal: AbortSignal): Promise<number> {
  const response = await fetch(addressOf(path, { tail: 1 }), { signal });
  await response.arrayBuffer();
  return Number(response.headers.get("X-Log-Bytes") ?? 0);
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
