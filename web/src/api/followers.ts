/** Which runs the pages of this tab follow, and how far each has come. */
import type { ServerEvent } from "./sse";
import type { RunEvent } from "./types";

export interface RunFollower {
  /** The number of the last event it has. */
  last: () => number;
  take: (event: RunEvent) => void;
  /** Some events were missed, or the stream ended: continue from the last one. */
  readOn: () => void;
}

export class RunFollowers {
  private readonly following = new Map<string, Set<RunFollower>>();

  add(runId: string, follower: RunFollower): void {
    this.following.set(runId, (this.following.get(runId) ?? new Set()).add(follower));
  }

  remove(runId: string, follower: RunFollower): void {
    const left = this.following.get(runId);
    left?.delete(follower);
    if (left?.size === 0) this.following.delete(runId);
  }

  positions(): [string, number][] {
    return [...this.following].map(([run, followers]) => [run, Math.min(...[...followers].map((one) => one.last()))]);
  }

  /** Hand an event to the followers that expect it next; a follower with a gap reads the list. */
  take({ name, data }: ServerEvent): void {
    const event = JSON.parse(data) as RunEvent & { run_id: string };
    for (const follower of [...(this.following.get(event.run_id) ?? [])]) {
      if (name === "run_end" || event.seq > follower.last() + 1) follower.readOn();
      else if (event.seq === follower.last() + 1) follower.take(event);
    }
  }

  readOn(): void {
    for (const followers of [...this.following.values()]) for (const follower of [...followers]) follower.readOn();
  }
}
