/**
 * One event stream for all tabs of a browser: a browser allows a site six connections, and a stream keeps one for itself.
 *
 * Of the tabs that can be seen one leads (by a lock of the browser): it reads the stream and passes on what it hears. A hidden
 * tab takes no part. Where there are no such locks (a site without HTTPS), each visible tab has a stream of its own.
 */
import type { RunFollowers } from "./followers";
import { listen, Refused, type ServerEvent } from "./sse";

export type HubState = "off" | "connecting" | "live" | "down";

export interface Ears {
  take: (event: ServerEvent) => void;
  become: (state: HubState) => void;
  /** Nobody listened for a while: what the page shows may be old. */
  miss: () => void;
  /** The session is over. */
  refuse: () => void;
}

/** What tabs send each other. */
type Word =
  | { kind: "event"; event: ServerEvent }
  | { kind: "state"; state: HubState }
  | { kind: "wanted"; tab: string; runs: [string, number][] }
  | { kind: "new leader" };

const NAME = "ade-live";
const SOON_MS = 200;
const AGAIN_MS = 2000;
const GATHER_MS = 30;
const RESET: ServerEvent = { id: null, name: "change", data: '{"type":"reset"}' };

export class Hub {
  private readonly tab = crypto.randomUUID?.() ?? String(Math.random());
  private readonly channel = "locks" in navigator ? new BroadcastChannel(NAME) : null;
  private readonly others = new Map<string, [string, number][]>();
  private joined: AbortController | null = null;
  private reading: AbortController | null = null;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private lastId: string | null = null;
  private state: HubState = "off";

  constructor(
    private readonly ears: Ears,
    private readonly followers: RunFollowers,
  ) {
    if (this.channel) this.channel.onmessage = ({ data }: MessageEvent<Word>) => this.hear(data);
    document.addEventListener("visibilitychange", this.look);
    window.addEventListener("pagehide", this.leave);
    window.addEventListener("pageshow", this.look);
    this.look();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.look);
    window.removeEventListener("pagehide", this.leave);
    window.removeEventListener("pageshow", this.look);
    this.leave();
    this.channel?.close();
  }

  /** Say which runs this tab follows, whenever that changes. */
  tellWanted(): void {
    if (!this.joined) return;
    if (this.reading) this.reopen();
    else this.say({ kind: "wanted", tab: this.tab, runs: this.followers.positions() });
  }

  private readonly look = (): void => (document.hidden ? this.leave() : this.join());

  private readonly leave = (): void => {
    if (!this.joined) return;
    this.joined.abort();
    this.joined = null;
    clearTimeout(this.gathering);
    this.say({ kind: "wanted", tab: this.tab, runs: [] });
    this.become("off");
  };

  private join(): void {
    if (this.joined) return;
    const joined = new AbortController();
    this.joined = joined;
    this.become("connecting");
    const lead = (): Promise<void> => this.lead(joined.signal);
    if (this.channel) navigator.locks.request(NAME, { signal: joined.signal }, lead).catch(() => undefined);
    else void lead();
    this.tellWanted(); // the leading tab answers with the state of the stream
  }

  private async lead(signal: AbortSignal): Promise<void> {
    this.others.clear();
    this.say({ kind: "new leader" });
    while (!signal.aborted) {
      const reading = new AbortController();
      this.reading = reading;
      const isOver = await this.read(AbortSignal.any([signal, reading.signal]));
      if (signal.aborted) break;
      if (reading.signal.aborted) continue;
      if (!isOver) this.pass({ kind: "state", state: "down" });
      await pause(isOver ? SOON_MS : AGAIN_MS, signal);
    }
    this.reading = null;
  }

  /** Read the stream until it ends; return whether the server ended it in good order. */
  private async read(signal: AbortSignal): Promise<boolean> {
    const isFirst = this.state === "connecting"; // and what the page shows is asked for again anyway
    const opened = (): void => {
      // Only by the last event can the server tell what happened since the stream before.
      if (!isFirst && this.lastId === null) this.pass({ kind: "event", event: RESET });
      this.pass({ kind: "state", state: "live" });
    };
    try {
      await listen("/events", this.wanted(), this.lastId, signal, opened, (event) =>
        this.pass({ kind: "event", event }),
      );
      return this.state === "live";
    } catch (error) {
      if (error instanceof Refused) this.ears.refuse();
      return false;
    }
  }

  /** The runs that any tab follows, each with the last event the slowest of them has. */
  private wanted(): [string, number][] {
    const least = new Map<string, number>();
    for (const [run, last] of [...this.followers.positions(), ...[...this.others.values()].flat()])
      least.set(run, Math.min(last, least.get(run) ?? Infinity));
    return [...least];
  }

  private hear(word: Word): void {
    if (!this.joined) return;
    if (word.kind === "event") this.takeEvent(word.event);
    else if (word.kind === "state") this.become(word.state);
    else if (word.kind === "new leader") this.tellWanted();
    else if (this.reading) this.hearWanted(word);
  }

  private hearWanted({ tab, runs }: Extract<Word, { kind: "wanted" }>): void {
    const before = new Set(this.wanted().map(([run]) => run));
    this.others.set(tab, runs);
    this.say({ kind: "state", state: this.state });
    if (runs.some(([run]) => !before.has(run))) this.reopen();
  }

  /** Read the stream again from where it is, with the runs that are wanted now. */
  private reopen(): void {
    clearTimeout(this.gathering);
    this.gathering = setTimeout(() => this.reading?.abort(), GATHER_MS);
  }

  private pass(word: Word): void {
    this.say(word);
    this.hear(word);
  }

  private takeEvent(event: ServerEvent): void {
    if (event.name === "run" || event.name === "run_end") {
      this.followers.take(event);
      if (event.name === "run_end") for (const runs of this.others.values()) forget(runs, event);
      return;
    }
    this.lastId = event.id ?? this.lastId;
    this.ears.take(event);
  }

  private become(state: HubState): void {
    const before = this.state;
    this.state = state;
    this.ears.become(state);
    if (state !== "live" || before === "live") return;
    if (before === "connecting") this.ears.miss();
    this.followers.readOn();
  }

  private say(word: Word): void {
    this.channel?.postMessage(word);
  }
}

function forget(runs: [string, number][], event: ServerEvent): void {
  const { run_id: ended } = JSON.parse(event.data) as { run_id: string };
  const place = runs.findIndex(([run]) => run === ended);
  if (place >= 0) runs.splice(place, 1);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
