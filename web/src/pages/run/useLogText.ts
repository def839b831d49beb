import { useEffect, useRef, useState } from "react";
import { pause, readOn, type LogReading } from "~/api/logs";
import { LogText } from "~/logic/logText";

const SHOW_MS = 120;

export interface LogState extends LogReading {
  /** Another number whenever there is more of the log. */
  version: number;
  isLoading: boolean;
}

/** What a run or build printed: what there is, then what comes, until it is over. */
export function useLogText(path: string, isStarted: boolean, isOver: boolean): LogState {
  const [state, setState] = useState<LogState>(nothing);
  const over = useRef(isOver);
  useEffect(() => {
    over.current = isOver;
  }, [isOver]);
  useEffect(() => {
    if (!isStarted) return;
    const abort = new AbortController();
    const reading: LogReading = { log: new LogText(), skipped: 0, total: 0 };
    let version = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (isLoading: boolean): void => {
      clearTimeout(timer);
      timer = undefined;
      version += 1;
      setState({ ...reading, version, isLoading });
    };
    const notify = (): void => {
      timer ??= setTimeout(() => show(true), SHOW_MS);
    };
    const load = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        const isLast = over.current;
        await readOn(reading, path, abort.signal, notify).catch(() => undefined); // shown by the reconnect bar
        if (abort.signal.aborted) return;
        show(false);
        if (isLast) return;
        await pause(abort.signal);
      }
    };
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, isStarted]);
  return state;
}

function nothing(): LogState {
  return { log: new LogText(), skipped: 0, total: 0, version: 0, isLoading: false };
}
