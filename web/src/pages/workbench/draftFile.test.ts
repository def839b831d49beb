import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "~/api/client";
import { DraftFile, SAVE_AFTER_MS, type Stored } from "./draftFile";
import { keepUnsaved, unsavedOf } from "./unsaved";

const KEY = "c1/columns/email.py";
const changed = new Problem(412, "changed", "Changed", "Another person changed the file.", null, null);
const away = new Problem(0, "unreachable", "The server does not answer", "", null, null);
const refused = new Problem(413, "too_large", "Too large", "A file has at most 1024 KB.", null, null);

/** A server that holds one file; each write waits until it is let through. */
class FakeServer {
  stored: Stored = { text: "first", etag: "1" };
  sent: { text: string; etag: string | null }[] = [];
  refusal: Problem | null = null;
  private gates: (() => void)[] = [];
  isHeld = false;

  write = async (text: string, etag: string | null): Promise<string> => {
    this.sent.push({ text, etag });
    if (this.isHeld) await new Promise<void>((resolve) => this.gates.push(resolve));
    if (this.refusal) throw this.refusal;
    if (etag !== this.stored.etag) throw changed;
    this.stored = { text, etag: String(Number(etag ?? "0") + 1) };
    return this.stored.etag ?? "";
  };

  read = (): Promise<Stored> => Promise.resolve(this.stored);

  letThrough(): void {
    this.isHeld = false;
    for (const gate of this.gates.splice(0)) gate();
  }
}

let server: FakeServer;
const open = (): DraftFile => new DraftFile(KEY, { text: "first", etag: "1" }, server, () => undefined);
const rest = (): Promise<unknown> => vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);

beforeEach(() => {
  vi.useFakeTimers();
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  server = new FakeServer();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("saving", () => {
  it("never has two saves under way, and sends the newest text with the newest ETag", async () => {
    const file = open();
    server.isHeld = true;
    file.change("a");
    await rest();
    file.change("ab");
    await rest();
    const last = file.save();
    expect(server.sent).toEqual([{ text: "a", etag: "1" }]);
    server.letThrough();
    expect(await last).toBe(true);
    expect(server.sent).toEqual([
      { text: "a", etag: "1" },
      { text: "ab", etag: "2" },
    ]);
    expect([file.snapshot().state, file.isSettled]).toEqual(["saved", true]);
  });

  it("is tried again when the server was away, and not when it refused", async () => {
    const file = open();
    server.refusal = away;
    file.change("a");
    await rest();
    expect(file.snapshot().state).toBe("failed");
    server.refusal = null;
    await vi.advanceTimersByTimeAsync(2000);
    expect([file.snapshot().state, server.stored.text]).toEqual(["saved", "a"]);
    server.refusal = refused;
    file.change("b");
    await rest();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.sent.length).toBe(3);
    expect(file.snapshot().failure).toBe("A file has at most 1024 KB.");
  });

  it("takes its own text for saved when only the answer was lost", async () => {
    const file = open();
    file.change("a");
    server.stored = { text: "a", etag: "2" };
    expect(await file.save()).toBe(true);
    expect(file.snapshot().theirs).toBeNull();
  });
});

describe("a conflict", () => {
  const meet = async (): Promise<DraftFile> => {
    const file = open();
    server.stored = { text: "theirs", etag: "7" };
    file.change("mine");
    await rest();
    expect(file.snapshot()).toMatchObject({ state: "conflict", isAsking: true, theirs: { text: "theirs" } });
    return file;
  };

  it("that is put off writes nothing and is asked about again", async () => {
    const file = await meet();
    file.postpone();
    expect([file.snapshot().isAsking, file.isSettled]).toEqual([false, false]);
    file.change("mine too");
    await rest();
    expect(file.snapshot().isAsking).toBe(true);
    expect(await file.save()).toBe(false);
    expect([server.sent.length, server.stored.text, file.text]).toEqual([1, "theirs", "mine too"]);
  });

  it("ends with mine", async () => {
    const file = await meet();
    file.settle(true);
    expect(await file.save()).toBe(true);
    expect(server.stored.text).toBe("mine");
  });

  it("ends with theirs", async () => {
    const file = await meet();
    file.settle(false);
    expect([file.text, file.isSettled, server.sent.length]).toEqual(["theirs", true, 1]);
    expect(unsavedOf(KEY)).toBeNull();
  });

  it("with a file that was removed ends with a new one", async () => {
    const file = open();
    server.stored = { text: null, etag: null };
    file.change("mine");
    await rest();
    expect(file.snapshot().theirs).toEqual({ text: null, etag: null });
    file.settle(true);
    expect(await file.save()).toBe(true);
  });
});

describe("text that was not saved", () => {
  it("is kept until it is saved", async () => {
    const file = open();
    file.change("a");
    expect(unsavedOf(KEY)).toMatchObject({ text: "a", etag: "1" });
    await rest();
    expect(unsavedOf(KEY)).toBeNull();
  });

  it("is restored and saved, and can be given up", async () => {
    keepUnsaved(KEY, { text: "lost", etag: "1", at: 5 });
    const file = open();
    expect([file.text, file.snapshot().restored]).toEqual(["lost", { at: 5, over: "first" }]);
    await rest();
    expect(server.stored.text).toBe("lost");
    file.endRestored(false);
    await rest();
    expect([server.stored.text, file.snapshot().restored]).toEqual(["first", null]);
  });

  it("meets what someone else wrote since", () => {
    keepUnsaved(KEY, { text: "lost", etag: "0", at: 5 });
    expect(open().snapshot()).toMatchObject({ state: "conflict", theirs: { text: "first" }, isAsking: true });
  });
});
