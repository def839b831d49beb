/** Text that the server does not have yet, kept in the browser so that a reload or a crash does not lose it. */

export interface Unsaved {
  text: string;
  /** The ETag of the file it is based on. */
  etag: string | null;
  at: number;
}

const PREFIX = "ade-unsaved:";

export function keepUnsaved(key: string, unsaved: Unsaved): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(unsaved));
  } catch {
    // A full or forbidden storage: the text is saved by the server in a moment all the same.
  }
}

export function unsavedOf(key: string): Unsaved | null {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") as Partial<Unsaved> | null;
    return typeof found?.text === "string" ? { text: found.text, etag: found.etag ?? null, at: found.at ?? 0 } : null;
  } catch {
    return null;
  }
}

export function dropUnsaved(key: string): void {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Nothing was kept there either.
  }
}
