import { useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import {
  createContext,
  lazy,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { useWorkspace } from "../workspace";
import classes from "./upload.module.css";
import { Uploads, type Upload } from "./uploads";
import { load } from "../version";

const UploadDrawer = lazy(() => load(() => import("./UploadDrawer")));

export const ACCEPTED = ".xlsx,.xlsm,.xlsb,.xls,.ods,.csv,.tsv";

interface Uploading {
  entries: Upload[];
  add: (files: File[]) => void;
  choose: () => void;
  remove: (key: number) => void;
  clear: () => void;
}

const UploadContext = createContext<Uploading | null>(null);

export function useUploads(): Uploading {
  const uploading = useContext(UploadContext);
  if (!uploading) throw new Error("useUploads outside the shell");
  return uploading;
}

/** Makes the whole page a place to drop documents, and holds those on their way. */
export function UploadProvider({ children }: { children: ReactNode }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [uploads] = useState(() => new Uploads());
  const [isOpen, setOpen] = useState(false);
  const entries = useSyncExternalStore(uploads.watch, uploads.list);
  const input = useRef<HTMLInputElement>(null);

  const uploading = useMemo<Uploading>(
    () => ({
      entries,
      add: (files) => {
        if (files.length === 0) return;
        uploads.add(workspace.id, files);
        setOpen(true);
      },
      choose: () => input.current?.click(),
      remove: (key) => uploads.remove(key),
      clear: () => uploads.clear(),
    }),
    [entries, uploads, workspace.id],
  );
  const isDragged = useDrop(uploading.add);
  const sentCount = entries.filter((entry) => entry.state === "sent").length;
  useEffect(() => {
    if (sentCount > 0) void client.invalidateQueries({ queryKey: ["documents"] });
  }, [client, sentCount]);

  return (
    <UploadContext value={uploading}>
      {children}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label="Documents to upload"
        data-testid="upload-input"
        onChange={(event) => {
          uploading.add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      {isDragged && (
        <div className={classes.curtain}>
          <div>
            <FileUp size={40} aria-hidden />
            <strong>Drop documents anywhere</strong>
            <span>xlsx, xlsm, xlsb, xls, ods, csv or tsv</span>
          </div>
        </div>
      )}
      <Suspense>{isOpen && <UploadDrawer onClose={() => setOpen(false)} />}</Suspense>
    </UploadContext>
  );
}

/** Take files dropped anywhere; tell whether some are being dragged over the page. */
function useDrop(add: (files: File[]) => void): boolean {
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    // Each element crossed sends one enter and one leave: only their balance tells whether the files left the page.
    let depth = 0;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth++;
      setDragged(true);
    };
    const leave = (event: DragEvent): void => {
      if (hasFiles(event) && --depth <= 0) setDragged(false);
    };
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setDragged(false);
      add([...(event.dataTransfer?.files ?? [])]);
    };
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop };
    for (const [name, listen] of Object.entries(listeners)) window.addEventListener(name, listen as EventListener);
    return () => {
      for (const [name, listen] of Object.entries(listeners)) window.removeEventListener(name, listen as EventListener);
    };
  }, [add]);
  return isDragged;
}
