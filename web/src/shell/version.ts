/**
 * Whether this page has to be loaded again: the server has another version of it, or a part of it could not be loaded.
 * A part that failed once stays failed in a browser (and a style that failed is never asked for again), so only a new load helps.
 */
import { useSyncExternalStore } from "react";

const ENTRY = /<script[^>]+type="module"[^>]+src="([^"]+)"/;
const AGAIN_MS = 2000;
const RELOADED_AT = "ade-reloaded-at";
const NOT_AGAIN_MS = 30_000;

let isDue = false;
let isAsking = false;
const watchers = new Set<() => void>();

/** A part of the page that could not be loaded. */
export class PageNotLoaded extends Error {
  override name = "PageNotLoaded";
}

/** Load a part of the page. */
export async function load<Part>(importer: () => Promise<Part>): Promise<Part> {
  try {
    return await importer();
  } catch (error) {
    void waitForServer();
    throw new PageNotLoaded("The server does not answer, or has a new version of this page.", { cause: error });
  }
}

/** Find out whether there is a new version; the server was away, for example. */
export async function checkVersion(): Promise<void> {
  const served = await servedEntry();
  if (served !== null && served !== loadedEntry()) becomeDue();
}

/** Return whether a new load is due, and would be answered. */
export function useIsReloadDue(): boolean {
  return useSyncExternalStore(watch, isReloadDue);
}

export function isReloadDue(): boolean {
  return isDue;
}

/** Load the page again, unless it was only just done: what is wrong then is not put right by it. */
export function reloadOnce(): void {
  const before = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
  if (Date.now() - before < NOT_AGAIN_MS) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}

async function waitForServer(): Promise<void> {
  if (isAsking || isDue) return;
  isAsking = true;
  while ((await servedEntry()) === null) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  isAsking = false;
  becomeDue();
}

function becomeDue(): void {
  isDue = true;
  for (const notify of watchers) notify();
}

function loadedEntry(): string | null {
  return document.querySelector('script[type="module"][src]')?.getAttribute("src") ?? null;
}

/** Ask the server for its page; return the script it begins with, or null while the server does not answer. */
async function servedEntry(): Promise<string | null> {
  try {
    const response = await fetch("/", { cache: "no-cache" });
    return response.ok ? (ENTRY.exec(await response.text())?.[1] ?? null) : null;
  } catch {
    return null;
  }
}

function watch(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}
