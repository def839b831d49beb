/** A file of the draft while it is edited: the typed text, the saved text, and conflicts between the two. */
import { Problem } from "~/api/client";
import { readFile, writeFile } from "~/api/drafts";
import { dropUnsaved, keepUnsaved, unsavedOf, type Unsaved } from "./unsaved";

export type SaveState = "saved" | "unsaved" | "saving" | "conflict" | "failed";

export interface Stored {
  /** The text on the server; null when someone removed the file. */
  text: string | null;
  etag: string | null;
}

export interface Store {
  read: () => Promise<Stored>;
  write: (text: string, etag: string | null) => Promise<string | null>;
}

export interface Shown {
  state: SaveState;
  /** What someone else wrote meanwhile; nothing is saved until one of the two is chosen. */
  theirs: Stored | null;
  isAsking: boolean;
  /** Why the last save failed. */
  failure: string | null;
  /** Text of an earlier visit that was not saved then is in the editor again, in place of another. */
  restored: { at: number; over: string } | null;
}

export const SAVE_AFTER_MS = 700;
const RETRY_MS = [2000, 5000, 10_000, 30_000];

export class DraftFile {
  text: string;
  private saved: string | null;
  private etag: string | null;
  private shown: Shown = { state: "saved", theirs: null, isAsking: false, failure: null, restored: null };
  private flying: Promise<boolean> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly key: string,
    first: { text: string; etag: string | null },
    private readonly store: Store,
    private readonly onSaved: (text: string, etag: string | null) => void,
  ) {
    [this.text, this.saved, this.etag] = [first.text, first.text, first.etag];
    const kept = unsavedOf(key);
    if (kept && kept.text !== first.text) this.restore(kept, first);
    else dropUnsaved(key);
  }

  private restore({ text, etag, at }: Unsaved, first: { text: string; etag: string | null }): void {
    this.text = text;
    this.become({ state: "unsaved", restored: { at, over: first.text } });
    if (etag === first.etag) this.schedule(SAVE_AFTER_MS);
    else this.become({ state: "conflict", theirs: first, isAsking: true });
  }

  /** Whether the server has all that was typed. */
  get isSettled(): boolean {
    return this.text === this.saved && !this.flying && !this.shown.theirs;
  }

  readonly snapshot = (): Shown => this.shown;

  readonly watch = (notify: () => void): (() => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
  };

  /** Take in what is typed; it is saved when the hands rest. */
  change(text: string): void {
    this.text = text;
    if (text === this.saved && !this.flying && !this.shown.theirs) {
      clearTimeout(this.timer);
      dropUnsaved(this.key);
      this.become({ state: "saved" });
      return;
    }
    keepUnsaved(this.key, { text, etag: this.etag, at: Date.now() });
    this.become({ state: this.shown.theirs ? "conflict" : "unsaved" });
    this.schedule(SAVE_AFTER_MS);
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), delay);
  }

  /** Save what is typed; return whether the server has it. One save at a time: the next needs the ETag of the last. */
  save(): Promise<boolean> {
    clearTimeout(this.timer);
    if (this.shown.theirs) {
      this.become({ isAsking: true });
      return Promise.resolve(false);
    }
    if (this.flying) return this.flying.then((isSaved) => (isSaved ? this.save() : false));
    if (this.text === this.saved) return Promise.resolve(true);
    this.flying = this.write(this.text).finally(() => (this.flying = null));
    return this.flying;
  }

  private async write(wanted: string): Promise<boolean> {
    this.become({ state: "saving" });
    try {
      this.accept(wanted, await this.store.write(wanted, this.etag));
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 412) return this.meet(wanted);
      return this.fail(error);
    }
  }

  private accept(text: string, etag: string | null): void {
    [this.saved, this.etag, this.failures] = [text, etag, 0];
    this.onSaved(text, etag);
    if (this.text === text) dropUnsaved(this.key);
    else keepUnsaved(this.key, { text: this.text, etag, at: Date.now() });
    this.become({ state: this.text === text ? "saved" : "unsaved", failure: null });
  }

  /** The file is not what it was: it may be what was sent (an answer was lost), or another person's text. */
  private async meet(wanted: string): Promise<boolean> {
    try {
      const theirs = await this.store.read();
      if (theirs.text !== wanted) {
        this.become({ state: "conflict", theirs, isAsking: true });
        return false;
      }
      this.accept(wanted, theirs.etag);
      return true;
    } catch (error) {
      return this.fail(error);
    }
  }

  private fail(error: unknown): boolean {
    const problem = error instanceof Problem ? error : null;
    const message = problem?.isAway ? problem.title : (problem?.detail ?? String(error));
    this.become({ state: "failed", failure: message });
    // What the server refuses, it refuses again; what it could not take, it may take later.
    const mayWork = !problem || problem.isAway || problem.status >= 500 || [401, 408, 429].includes(problem.status);
    if (mayWork) this.schedule(RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)] ?? 0);
    return false;
  }

  /** Leave a conflict as it is; it is asked about again at the next save. */
  postpone(): void {
    this.become({ isAsking: false });
  }

  /** End a conflict with what is typed here, or with what the other wrote. */
  settle(isMine: boolean): void {
    const { theirs } = this.shown;
    if (!theirs) return;
    [this.saved, this.etag] = [theirs.text, theirs.etag];
    if (!isMine) this.text = theirs.text ?? "";
    this.become({ theirs: null, isAsking: false, restored: null, state: isMine ? "unsaved" : "saved" });
    if (isMine) void this.save();
    else dropUnsaved(this.key);
  }

  /** Go back to the text that the restored one replaced, or only stop mentioning it. */
  endRestored(isKept: boolean): void {
    const { restored } = this.shown;
    this.become({ restored: null });
    if (restored && !isKept) this.change(restored.over);
  }

  /** Give up what is typed: the file is no longer there. */
  abandon(): void {
    clearTimeout(this.timer);
    this.text = this.saved ?? "";
    dropUnsaved(this.key);
  }

  private become(part: Partial<Shown>): void {
    this.shown = { ...this.shown, ...part };
    for (const notify of this.watchers) notify();
  }
}

/** A file as the server keeps it. */
export function storeOf(configurationId: string, path: string): Store {
  return {
    read: async () => {
      try {
        return await readFile(configurationId, path);
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return { text: null, etag: null };
        throw error;
      }
    },
    write: (text, etag) => writeFile(configurationId, path, text, etag),
  };
}
