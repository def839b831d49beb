import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { DraftFile, storeOf } from "./draftFile";
import { openFile } from "./openFiles";

/** Keeps a file of the draft saved while it is typed; what someone else wrote meanwhile is shown, never overwritten. */
export function useDraftFile(configurationId: string, path: string, first: { text: string; etag: string | null }) {
  const client = useQueryClient();
  const [file] = useState(() => {
    const key = `${configurationId}/${path}`;
    return openFile(key, () => new DraftFile(key, first, storeOf(configurationId, path), changed));
    function changed(text: string, etag: string | null): void {
      client.setQueryData(["configuration files", configurationId, path, null], { text, etag });
      void client.invalidateQueries({ queryKey: ["configurations"] });
      void client.invalidateQueries({ queryKey: ["tests of a draft", configurationId] });
    }
  });
  useEffect(() => {
    if (file.snapshot().theirs) void file.save(); // asks which of the two texts to keep
    return () => {
      if (!file.snapshot().theirs) void file.save();
    };
  }, [file]);
  return { file, ...useSyncExternalStore(file.watch, file.snapshot) };
}
