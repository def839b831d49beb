/** Corrections of a column: written into the draft, tested, and taken back. */
import { correction, type DraftText, type FileChange, type Meaning } from "~/logic/correct";
import { testRun } from "./actions";
import { api, Problem } from "./client";
import { changeFiles, checkEdits, ensureDraft, readFile, type FileEdit } from "./drafts";
import type { ConfigurationFile, Listed, Run } from "./types";

export interface Corrected {
  run: Run;
  /** The file that says what the column is now; null when the draft said so before. */
  file: string | null;
}

/** Make the draft say what a header means, unless it would not build, and run the document with it. */
export async function correctColumn(run: Run, header: string, meaning: Meaning): Promise<Corrected> {
  const id = run.configuration_id;
  const changes = correction(await draftTexts(id), header, meaning);
  if (!changes) throw notUnderstood();
  const undo = changes.length > 0 ? await writeIntoDraft(id, changes) : [];
  if (changes.length === 0) await ensureDraft(id);
  try {
    const made = await testRun(id, run.input_document_id);
    if (undo.length > 0) keepUndo(made.id, undo);
    return { run: made, file: changes[0]?.path ?? null };
  } catch (error) {
    // Without a run nobody would see what changed.
    if (undo.length > 0) await changeFiles(id, undo).catch(() => undefined);
    throw error;
  }
}

/** Write the changes, which starts a draft where there is none; return the edits that undo them. */
async function writeIntoDraft(configurationId: string, changes: FileChange[]): Promise<FileEdit[]> {
  const edits = changes.map(({ path, after, etag }) => ({ path, content: after, if_match: etag }));
  await requireValid(configurationId, edits);
  return undoing(changes, await changeFiles(configurationId, edits));
}

async function draftTexts(configurationId: string): Promise<DraftText[]> {
  const { items } = await api.get<Listed<ConfigurationFile>>(`/configurations/${configurationId}/files`);
  const paths = items.map((file) => file.path).filter((path) => /^(columns\/[^/]+\.py|settings\.toml)$/.test(path));
  return Promise.all(paths.map(async (path) => ({ path, ...(await readFile(configurationId, path)) })));
}

async function requireValid(configurationId: string, edits: FileEdit[]): Promise<void> {
  const errors = async (wanted: FileEdit[]): Promise<string[]> =>
    (await checkEdits(configurationId, wanted)).problems
      .filter((problem) => problem.severity === "error")
      .map((problem) => `${problem.file}, line ${problem.line}: ${problem.message}.`);
  const found = await errors(edits);
  if (found.length === 0) return;
  const isBroken = (await errors([])).length > 0;
  const title = isBroken ? "The draft has errors, so it cannot be tested" : "The configuration would not build";
  const advice = isBroken ? "Correct or discard the draft first." : "Nothing was saved.";
  throw new Problem(0, "would_not_build", title, `${found.slice(0, 3).join(" ")} ${advice}`, null, null);
}

function notUnderstood(): Problem {
  const detail = "It is not written as a plain call of Field. Change it in the workbench. Nothing was saved.";
  return new Problem(
    0,
    "not_understood",
    "The rule file of this field cannot be changed from here",
    detail,
    null,
    null,
  );
}

function undoing(changes: FileChange[], written: ConfigurationFile[]): FileEdit[] {
  const tags = new Map(written.map((file) => [file.path, `"${file.sha256}"`]));
  return changes.map(({ path, before }) => ({ path, content: before, if_match: tags.get(path) ?? null }));
}

const UNDO = "ade-undo:";

function keepUndo(runId: string, edits: FileEdit[]): void {
  try {
    sessionStorage.setItem(UNDO + runId, JSON.stringify(edits));
  } catch {
    // Without storage there is no undo, and the correction stands.
  }
}

/** How to take back the correction that a run tests; null when this tab made none. */
export function undoOf(runId: string): FileEdit[] | null {
  const kept = sessionStorage.getItem(UNDO + runId);
  return kept ? (JSON.parse(kept) as FileEdit[]) : null;
}

/** Restore the files as they were before the correction, if nobody has changed them since. */
export async function undoCorrection(run: Run, edits: FileEdit[]): Promise<void> {
  try {
    await changeFiles(run.configuration_id, edits);
  } catch (error) {
    if (!(error instanceof Problem) || ![404, 412].includes(error.status)) throw error;
    const detail = "Open the draft to see what they contain now.";
    throw new Problem(error.status, "changed", "The files have been changed since", detail, error.traceId, null);
  } finally {
    sessionStorage.removeItem(UNDO + run.id);
  }
}
