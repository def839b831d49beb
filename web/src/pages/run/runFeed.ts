import { api } from "~/api/client";
import { followRun } from "~/api/live";
import type { RunEvent } from "~/api/types";

interface EventPage {
  items: RunEvent[];
  is_complete: boolean;
}

const PAGE = 5000;
const SHOW_MS = 80;

/** Reads the events of a run in pages, then follows its stream, until the run has ended. */
export class RunFeed {
  private readonly abort = new AbortController();
  private last = 0;
  private waiting: RunEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading: Promise<void> | null = null;
  private isAskedAgain = false;
  private isComplete = false;
  private unfollow = (): void => undefined;

  constructor(
    private readonly id: string,
    private readonly show: (fresh: RunEvent[]) => void,
    private readonly onEnd: () => Promise<void>,
  ) {}

  async start(): Promise<void> {
    await this.load().catch(() => undefined);
    if (this.abort.signal.aborted) return;
    if (this.isComplete) return this.onEnd(); // the run may have been read while it was running
    this.unfollow = followRun(this.id, { last: () => this.last, take: this.take, readOn: this.readOn });
  }

  stop(): void {
    this.abort.abort();
    this.unfollow();
    clearTimeout(this.timer);
  }

  // A quick run has hundreds of events a second: they are shown some at a time.
  private readonly take = (event: RunEvent): void => {
    if (event.seq <= this.last) return;
    this.last = event.seq;
    this.waiting.push(event);
    this.timer ??= setTimeout(this.showWaiting, SHOW_MS);
  };

  private readonly showWaiting = (): void => {
    this.timer = undefined;
    const fresh = this.waiting;
    this.waiting = [];
    this.show(fresh);
  };

  private async load(): Promise<void> {
    for (let isLast = false; !isLast && !this.isComplete;) {
      const query = { after: this.last, limit: PAGE };
      const page = await api.get<EventPage>(`/runs/${this.id}/events`, query, this.abort.signal);
      page.items.forEach(this.take);
      this.isComplete = page.is_complete;
      isLast = page.items.length < PAGE;
    }
  }

  private readonly readOn = (): void => {
    // An answer under way may be older than what it is asked for now.
    if (this.reading) {
      this.isAskedAgain = true;
      return;
    }
    // Without an answer the page shows the run without its events, and asks again when the stream is back.
    this.reading = this.load()
      .then(() => (this.isComplete ? this.end() : undefined))
      .catch(() => undefined)
      .finally(this.settle);
  };

  private readonly settle = (): void => {
    const isAskedAgain = this.isAskedAgain && !this.isComplete;
    [this.reading, this.isAskedAgain] = [null, false];
    if (isAskedAgain) this.readOn();
  };

  private async end(): Promise<void> {
    this.unfollow();
    await this.onEnd();
  }
}
