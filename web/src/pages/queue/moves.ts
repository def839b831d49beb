/** Moves in the queue, one after the other: each is wished on the order that the ones before it make. */
import { Problem } from "~/api/client";
import type { Move, Place } from "~/logic/reorder";

export interface Server {
  /** Give a run another priority. */
  prioritise: (runId: string, priority: number) => Promise<void>;
  /** Put a run somewhere, if the order is still this version; return the version that makes. */
  move: (runId: string, place: Place, version: number) => Promise<number>;
  version: () => Promise<number>;
  /** The place of a run in the queue now; null when it waits no longer. */
  placeOf: (runId: string) => Promise<number | null>;
}

export interface Wish extends Move {
  /** The version of the order it was wished on, and how far the run stood below the other one there. */
  version: number;
  distance: number;
}

const TRIES = 4;

export class Moves {
  private last: Promise<unknown> = Promise.resolve();
  private version = 0;

  constructor(private readonly server: Server) {}

  /** Carry out a move after those before it. */
  carryOut(wish: Wish): Promise<void> {
    const done = this.last.then(() => this.carry(wish));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async carry(wish: Wish): Promise<void> {
    if (wish.needsPriority !== null) {
      await this.server.prioritise(wish.runId, wish.needsPriority);
      this.version = await this.server.version();
    }
    for (let left = TRIES; ; left--) {
      try {
        this.version = await this.server.move(wish.runId, wish.place, Math.max(this.version, wish.version));
        return;
      } catch (error) {
        if (left === 0 || !isReordered(error) || !(await this.isStillMeant(wish))) throw error;
        this.version = await this.server.version();
      }
    }
  }

  /** Whether the two runs are in the same order as when the move was requested; if not, a person must decide again. */
  private async isStillMeant({ runId, place, distance, needsPriority }: Wish): Promise<boolean> {
    const other = "before" in place ? place.before : place.after;
    const [here, there] = await Promise.all([this.server.placeOf(runId), this.server.placeOf(other)]);
    return here !== null && there !== null && (needsPriority !== null || here - there === distance);
  }
}

function isReordered(error: unknown): boolean {
  return error instanceof Problem && error.code === "order_changed";
}
