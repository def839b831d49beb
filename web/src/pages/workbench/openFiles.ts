/** The files that are being edited. One that is not saved yet stays here when another is opened in the editor. */
import type { DraftFile } from "./draftFile";

const open = new Map<string, DraftFile>();

/** The file as it is being edited, or a new one when the server has everything of it. */
export function openFile(key: string, make: () => DraftFile): DraftFile {
  const found = open.get(key);
  if (found && !found.isSettled) return found;
  const made = make();
  open.set(key, made);
  return made;
}

/** Save all open files of a configuration; return whether the server has them all. */
export async function saveAll(configurationId: string): Promise<boolean> {
  const files = [...open].filter(([key]) => key.startsWith(`${configurationId}/`)).map(([, file]) => file);
  return (await Promise.all(files.map((file) => file.save()))).every(Boolean);
}

/** Forget a file that was removed or renamed. */
export function forgetFile(key: string): void {
  open.get(key)?.abandon();
  open.delete(key);
}

addEventListener("beforeunload", (event) => {
  if ([...open.values()].some((file) => !file.isSettled)) event.preventDefault();
});

addEventListener("online", () => {
  for (const file of open.values()) if (file.snapshot().state === "failed") void file.save();
});
