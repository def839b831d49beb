import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { moveRun, setPriority } from "~/api/actions";
import { api } from "~/api/client";
import { queueQuery } from "~/api/queries";
import type { QueuedRun, Run } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { moveOf, reordered } from "~/logic/reorder";
import { Moves, type Wish } from "./moves";
import { useQueue } from "./useQueue";

interface Asked {
  move: Wish;
  run: QueuedRun;
}

export interface Moving {
  /** The run at a place once the moves under way are made. */
  itemAt: (index: number) => QueuedRun | undefined;
  move: (from: number, to: number) => Promise<void>;
  /** The same for menus: one function for the whole life of the list, so that rows that stay are not drawn again. */
  onMove: (from: number, to: number) => void;
  /** A move that needs another priority, and has to be confirmed. */
  asked: Asked | null;
  confirm: () => void;
  dismiss: () => void;
}

/** Moves runs. Rows stay where they were put until the server tells the same. */
export function useMoving(waiting: ReturnType<typeof useQueue>, found: Map<number, QueuedRun> | null): Moving {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { underWay, carryOut } = useUnderWay();
  const rows = useMemo(() => reordered(waiting.rows, underWay), [waiting.rows, underWay]);
  const itemAt = (index: number): QueuedRun | undefined => found?.get(index) ?? rows.get(index);
  const move = async (from: number, to: number): Promise<void> => {
    const run = itemAt(from);
    const wanted = moveOf(run, itemAt(to) ?? (await waiting.load(to)), to < from);
    if (!wanted || !run) return;
    const wish = { ...wanted, version: waiting.version, distance: from - to };
    if (wish.needsPriority !== null) setAsked({ move: wish, run });
    else await carryOut(wish);
  };
  const latestMove = useRef(move);
  useEffect(() => {
    latestMove.current = move;
  });
  const onMove = useCallback((from: number, to: number) => void latestMove.current(from, to).catch(showProblem), []);
  const confirm = (): void => {
    setAsked(null);
    if (asked) void carryOut(asked.move);
  };
  return { itemAt, move, onMove, asked, confirm, dismiss: () => setAsked(null) };
}

interface UnderWay {
  /** What was moved and is not yet in what the server told. */
  underWay: Wish[];
  carryOut: (wish: Wish) => Promise<void>;
}

function useUnderWay(): UnderWay {
  const client = useQueryClient();
  const [underWay, setUnderWay] = useState<Wish[]>([]);
  const [moves] = useState(() => movesOf(client));
  const carryOut = async (wish: Wish): Promise<void> => {
    setUnderWay((before) => [...before, wish]);
    await moves.carryOut(wish).catch(showProblem);
    await client.invalidateQueries({ queryKey: ["queue"] });
    setUnderWay((before) => before.filter((one) => one !== wish));
  };
  return { underWay, carryOut };
}

/** Moves as the server makes them, asked without a memory: what a page knew before may be the order before. */
function movesOf(client: QueryClient): Moves {
  return new Moves({
    prioritise: async (runId, priority) => {
      await setPriority(runId, priority, "moved in the queue");
    },
    move: moveRun,
    version: async () => {
      await client.cancelQueries({ queryKey: queueQuery.queryKey });
      return (await client.fetchQuery({ ...queueQuery, staleTime: 0 })).version;
    },
    placeOf: async (runId) => (await api.get<Run>(`/runs/${runId}`)).position,
  });
}
