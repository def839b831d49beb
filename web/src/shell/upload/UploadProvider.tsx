import { useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import {
  createContext,
  lazy,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from "react";
import { showRefusal } from "~/components/feedback";
import { isOpen as isUnderWay } from "~/logic/uploads";
import { ACCEPTED, FORMAT_WORDS } from "~/logic/formats";
import { useForbidden, useWorkspace } from "../workspace";
import { load } from "../version";
import classes from "./upload.module.css";
import { Uploads, type Upload } from "./uploads";

const UploadDesk = lazy(() => load(() => import("./UploadDesk")));

interface Uploading {
  entries: Upload[];
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** Why nothing can be uploaded here; null when it can. */
  forbidden: string | null;
  add: (files: File[]) => void;
  choose: () => void;
  /** Files dropped on the page: uploaded, unless the page takes them itself. */
  drop: (files: File[]) => void;
  /** Have dropped files go to a function of the page; return what ends that. */
  divert: (take: (files: File[]) => void) => () => void;
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
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const uploading = useUploading(input);
  const { entries } = uploading;
  const isDragged = useDrop(uploading.drop);
  const sentCount = entries.filter((entry) => entry.state === "sent").length;
  useEffect(() => {
    if (sentCount > 0) void client.invalidateQueries({ queryKey: ["documents"] });
  }, [client, sentCount]);

  useWarning(entries.some(isUnderWay));
  return (
    <UploadContext value={uploading}>
      {children}
      <FileInput ref={input} onFiles={uploading.add} />
      {isDragged && <Curtain />}
    </UploadContext>
  );
}

/** The uploads of this workspace, and what can be done with them. */
function useUploading(input: RefObject<HTMLInputElement | null>): Uploading {
  const { workspace } = useWorkspace();
  const [uploads] = useState(() => new Uploads());
  const [isOpen, setOpen] = useState(false);
  const entries = useSyncExternalStore(uploads.watch, uploads.list);
  const forbidden = useForbidden("operator");
  const add = useCallback(
    (files: File[]): void => {
      if (files.length === 0) return;
      if (forbidden) {
        showRefusal("Nothing was uploaded", forbidden);
        return;
      }
      uploads.add(workspace.id, files);
      setOpen(true);
    },
    [uploads, workspace.id, forbidden],
  );
  const { drop, divert } = useDiversion(add);
  return useMemo<Uploading>(
    () => ({
      entries,
      isOpen,
      setOpen,
      forbidden,
      add,
      choose: () => input.current?.click(),
      drop,
      divert,
      remove: (key) => uploads.remove(key),
      clear: () => uploads.clear(),
    }),
    [entries, uploads, isOpen, forbidden, input, add, drop, divert],
  );
}

/** Where dropped files go: to what takes them on this page, else to the uploads. */
function useDiversion(add: (files: File[]) => void): Pick<Uploading, "drop" | "divert"> {
  const diverted = useRef<((files: File[]) => void) | null>(null);
  const drop = useCallback((files: File[]): void => (diverted.current ?? add)(files), [add]);
  const divert = useCallback((take: (files: File[]) => void) => {
    diverted.current = take;
    return () => {
      diverted.current = null;
    };
  }, []);
  return { drop, divert };
}

function FileInput({ ref, onFiles }: { ref: RefObject<HTMLInputElement | null>; onFiles: (files: File[]) => void }) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      accept={ACCEPTED}
      aria-label="Documents to upload"
      data-testid="upload-input"
      onChange={(event) => {
        onFiles([...(event.currentTarget.files ?? [])]);
        event.currentTarget.value = "";
      }}
    />
  );
}

/** Lies over the page while files are dragged over it. */
function Curtain() {
  return (
    <div className={classes.curtain}>
      <div>
        <FileUp size={40} aria-hidden />
        <strong>Drop documents anywhere</strong>
        <span>{FORMAT_WORDS}</span>
      </div>
    </div>
  );
}

/** The place of the tray of uploads; their drawer lies over the page. */
export function UploadPlace() {
  const { entries, isOpen } = useUploads();
  return <Suspense>{(isOpen || entries.length > 0) && <UploadDesk />}</Suspense>;
}

/** Have the browser ask before a page with uploads under way is left. */
function useWarning(isUploading: boolean): void {
  useEffect(() => {
    if (!isUploading) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isUploading]);
}

/** Take files dropped anywhere; return whether some are being dragged over the page. */
function useDrop(add: (files: File[]) => void): boolean {
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    // Each element crossed sends one enter and one leave: only their balance shows whether the files left the page.
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
