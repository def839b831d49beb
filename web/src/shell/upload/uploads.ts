/** Files on their way to the server: two at a time, each with its own outcome, so that one bad file stops no other. */
import { Problem, upload } from "~/api/client";
import type { Document } from "~/api/types";

export interface Upload {
  key: number;
  file: File;
  state: "waiting" | "sending" | "sent" | "refused";
  share: number;
  document: Document | null;
  problem: Problem | null;
}

const AT_ONCE = 2;
let lastKey = 0;

export class Uploads {
  private entries: Upload[] = [];
  private readonly aborts = new Map<number, AbortController>();
  private readonly watchers = new Set<() => void>();

  readonly watch = (notify: () => void): (() => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
  };
  readonly list = (): Upload[] => this.entries;

  add(workspaceId: string, files: File[]): void {
    const added = files.map((file): Upload => ({
      key: ++lastKey,
      file,
      state: "waiting",
      share: 0,
      document: null,
      problem: null,
    }));
    this.change([...this.entries, ...added]);
    for (let index = 0; index < AT_ONCE; index++) void this.next(workspaceId);
  }

  remove(key: number): void {
    this.aborts.get(key)?.abort();
    this.change(this.entries.filter((entry) => entry.key !== key));
  }

  clear(): void {
    for (const abort of this.aborts.values()) abort.abort();
    this.change([]);
  }

  private async next(workspaceId: string): Promise<void> {
    const entry = this.entries.find((one) => one.state === "waiting");
    if (!entry || this.aborts.size >= AT_ONCE) return;
    const abort = new AbortController();
    this.aborts.set(entry.key, abort);
    this.update(entry.key, { state: "sending" });
    try {
      const path = `/workspaces/${workspaceId}/documents`;
      const share = (done: number): void => this.update(entry.key, { share: done });
      const document = await upload<Document>(path, entry.file, share, abort.signal);
      this.update(entry.key, { state: "sent", share: 1, document });
    } catch (error) {
      const problem = error instanceof Problem ? error : null;
      this.update(entry.key, { state: "refused", problem });
    } finally {
      this.aborts.delete(entry.key);
      void this.next(workspaceId);
    }
  }

  private update(key: number, part: Partial<Upload>): void {
    this.change(this.entries.map((entry) => (entry.key === key ? { ...entry, ...part } : entry)));
  }

  private change(entries: Upload[]): void {
    this.entries = entries;
    for (const notify of this.watchers) notify();
  }
}
