// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startLive } from "~/api/live";
import type { RunEvent } from "~/api/types";
import { Refusal, Server } from "~/testing/server";
import { RunFeed } from "./runFeed";

const EVENTS = "GET /runs/r1/events";
const event = (seq: number): RunEvent =>
  ({ seq, type: "run.started", at: "2026-03-01T10:00:00Z" }) as unknown as RunEvent;
const events = (from: number, count: number): RunEvent[] =>
  Array.from({ length: count }, (_, index) => event(from + index));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function feed(): { feed: RunFeed; shown: number[]; ends: () => number } {
  const shown: number[] = [];
  let ends = 0;
  const made = new RunFeed(
    "r1",
    (fresh) => shown.push(...fresh.map(({ seq }) => seq)),
    async () => void ends++,
  );
  return { feed: made, shown, ends: () => ends };
}

/** The stream of changes: what is sent into it, the page hears. */
class Stream {
  private readonly pipe = new TransformStream<Uint8Array, Uint8Array>();
  private readonly writer = this.pipe.writable.getWriter();
  readonly answer = new Response(this.pipe.readable);

  async send(name: string, data: object): Promise<void> {
    void this.writer.write(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
    await vi.advanceTimersByTimeAsync(200);
  }
}

describe("the events of a run", () => {
  it("are shown once, together, when the run has ended", async () => {
    const server = new Server().on(EVENTS, { items: events(1, 3), is_complete: true });
    const { feed: one, shown, ends } = feed();
    await one.start();
    expect(shown).toEqual([]);
    await vi.runAllTimersAsync();
    expect(shown).toEqual([1, 2, 3]);
    expect(ends()).toBe(1);
    expect(server.asked).toHaveLength(1);
  });

  it("are read page by page, each after the last event of the one before", async () => {
    const server = new Server().on(EVENTS, ({ query }) =>
      query.get("after") === "0"
        ? { items: events(1, 5000), is_complete: false }
        : { items: events(5001, 2), is_complete: true },
    );
    const { feed: one, shown } = feed();
    await one.start();
    await vi.runAllTimersAsync();
    expect(shown).toHaveLength(5002);
    expect(shown.at(-1)).toBe(5002);
    expect(server.asked.map(({ query }) => query.get("after"))).toEqual(["0", "5000"]);
  });

  it("are not shown twice when a page repeats some", async () => {
    new Server().on(EVENTS, { items: [event(1), event(2), event(2), event(1), event(3)], is_complete: true });
    const { feed: one, shown } = feed();
    await one.start();
    await vi.runAllTimersAsync();
    expect(shown).toEqual([1, 2, 3]);
  });

  it("are missing without an error when the server refuses", async () => {
    new Server().on(EVENTS, new Refusal(500, "internal_error", "Broken"));
    const { feed: one, shown, ends } = feed();
    await one.start();
    await vi.runAllTimersAsync();
    one.stop();
    expect([shown, ends()]).toEqual([[], 0]);
  });

  it("are not shown after the page was left", async () => {
    new Server().on(EVENTS, { items: events(1, 2), is_complete: true });
    const { feed: one, shown } = feed();
    await one.start();
    one.stop();
    await vi.runAllTimersAsync();
    expect(shown).toEqual([]);
  });

  it("are read again when the run went on while they were read", async () => {
    const stream = new Stream();
    const answers = [events(1, 1), events(2, 2), events(4, 1)];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const server = new Server()
      .on("GET /events", () => stream.answer)
      .on(EVENTS, async () => {
        const items = answers.shift() ?? [];
        if (answers.length === 1) await held;
        return { items, is_complete: answers.length === 0 };
      });
    const stopLive = startLive(new QueryClient());
    const { feed: one, shown, ends } = feed();
    await one.start();
    await stream.send("run", { ...event(3), run_id: "r1" }); // the second is missing, so all are asked for
    await stream.send("run_end", { run_id: "r1" });
    letGo();
    await vi.advanceTimersByTimeAsync(200);
    stopLive();
    expect(shown).toEqual([1, 2, 3, 4]);
    expect(ends()).toBe(1);
    expect(server.asked.filter(({ path }) => path === "/runs/r1/events")).toHaveLength(3);
  });
});
