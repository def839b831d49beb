import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem } from "~/api/client";
import { readFile, writeFile } from "~/api/drafts";

export type SaveState = "saved" | "unsaved" | "saving" | "conflict" | "failed";

interface Conflict {
  theirs: string;
  etag: string | null;
}

const SAVE_AFTER_MS = 700;

/** Keeps a file of the draft saved while it is typed; what someone else wrote meanwhile is shown, never overwritten. */
export function useDraftFile(configurationId: string, path: string, first: { text: string; etag: string | null }) {
  const client = useQueryClient();
  const [state, setState] = useState<SaveState>("saved");
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const content = useRef(first.text);
  const saved = useRef(first.text);
  const etag = useRef(first.etag);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const save = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current);
    const wanted = content.current;
    if (wanted === saved.current) return true;
    setState("saving");
    try {
      etag.current = await writeFile(configurationId, path, wanted, etag.current);
      saved.current = wanted;
      client.setQueryData(["configuration files", configurationId, path, null], { text: wanted, etag: etag.current });
      void client.invalidateQueries({ queryKey: ["configurations"] });
      setState(content.current === wanted ? "saved" : "unsaved");
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 412) {
        const theirs = await readFile(configurationId, path);
        setConflict({ theirs: theirs.text, etag: theirs.etag });
        setState("conflict");
      } else setState("failed");
      return false;
    }
  }, [client, configurationId, path]);

  const change = useCallback(
    (next: string): void => {
      content.current = next;
      setState("unsaved");
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void save(), SAVE_AFTER_MS);
    },
    [save],
  );

  /** End a conflict: with what is typed here, or with what the other wrote. */
  const settle = useCallback(
    (isMine: boolean): string => {
      if (!conflict) return content.current;
      etag.current = conflict.etag;
      saved.current = conflict.theirs;
      if (!isMine) content.current = conflict.theirs;
      setConflict(null);
      setState(isMine ? "unsaved" : "saved");
      if (isMine) void save();
      return content.current;
    },
    [conflict, save],
  );

  useEffect(() => () => void save(), [save]);
  const current = useCallback((): string => content.current, []);
  return { state, conflict, change, save, settle, current };
}
