import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FileSpreadsheet, Play, Search, SlidersHorizontal, Upload, type LucideIcon } from "lucide-react";
import { useId, useState, type KeyboardEvent } from "react";
import { api } from "~/api/client";
import { configurationsQuery, recentRunsQuery } from "~/api/queries";
import type { Document, Page } from "~/api/types";
import { NAVIGATION } from "./navigation";
import classes from "./Palette.module.css";
import { useUploads } from "./upload/UploadProvider";
import { useWorkspace } from "./workspace";

interface Entry {
  id: string;
  label: string;
  note?: string;
  icon: LucideIcon;
  open: () => void;
}

/** Goes to anything by a few of its letters. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState("");
  const [place, setPlace] = useState(0);
  const listId = useId();
  const entries = useEntries(words).slice(0, 12);
  const chosen = Math.min(place, entries.length - 1);
  const type = (text: string): void => {
    setWords(text);
    setPlace(0);
  };
  const open = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.open();
  };
  const press = stepping(chosen, entries.length, setPlace, () => open(entries[chosen]));
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      centered={false}
      attributes={{ content: { "aria-label": "Search and commands" } }}
    >
      <SearchBox listId={listId} chosenId={entries[chosen]?.id} words={words} onWords={type} onKeyDown={press} />
      <Found id={listId} entries={entries} chosen={chosen} onPoint={setPlace} onOpen={open} />
    </Modal>
  );
}

function useEntries(words: string): Entry[] {
  const uploads = useUploads();
  const pages = usePageEntries();
  const found = useFoundEntries(words);
  const upload = { id: "upload", label: "Upload documents", icon: Upload, open: uploads.choose };
  const isMeant = (label: string): boolean => label.toLowerCase().includes(words.trim().toLowerCase());
  return [...pages, upload, ...found].filter((entry) => isMeant(entry.label) || entry.id.startsWith(words.trim()));
}

function usePageEntries(): Entry[] {
  const navigate = useNavigate();
  return NAVIGATION.map((one) => ({
    id: `go${one.to}`,
    label: one.label,
    note: `g ${one.key}`,
    icon: one.icon,
    open: () => void navigate({ to: one.to }),
  }));
}

/** What the workspace has: configurations, documents by their name, and the latest runs. */
function useFoundEntries(words: string): Entry[] {
  const navigate = useNavigate();
  const { workspace } = useWorkspace();
  const configurations = useQuery(configurationsQuery(workspace.id)).data?.items ?? [];
  const runs = useQuery(recentRunsQuery(workspace.id, {}, 20)).data?.items ?? [];
  const documents =
    useQuery({
      queryKey: ["documents", workspace.id, "palette", words],
      queryFn: () => api.get<Page<Document>>(`/workspaces/${workspace.id}/documents`, { name: words, limit: 6 }),
      placeholderData: (before) => before,
    }).data?.items ?? [];
  return [
    ...configurations.map((one) => ({
      id: one.id,
      label: one.name,
      note: "configuration",
      icon: SlidersHorizontal,
      open: () => void navigate({ to: "/configurations/$configurationId", params: { configurationId: one.id } }),
    })),
    ...documents.map((one) => ({
      id: one.id,
      label: one.name,
      note: "document",
      icon: FileSpreadsheet,
      open: () => void navigate({ to: "/documents/$documentId", params: { documentId: one.id } }),
    })),
    ...runs.map((one) => ({
      id: one.id,
      label: `Run of ${one.document_name}`,
      note: one.status,
      icon: Play,
      open: () => void navigate({ to: "/runs/$runId", params: { runId: one.id } }),
    })),
  ];
}

interface FoundProps {
  id: string;
  entries: Entry[];
  chosen: number;
  onPoint: (place: number) => void;
  onOpen: (entry: Entry) => void;
}

function Found({ id, entries, chosen, onPoint, onOpen }: FoundProps) {
  return (
    <ul id={id} role="listbox" aria-label="Found" className={classes.list}>
      {entries.map((entry, index) => (
        <li
          key={entry.id}
          id={entry.id}
          role="option"
          aria-selected={index === chosen}
          onMouseMove={() => onPoint(index)}
          onClick={() => onOpen(entry)}
        >
          <entry.icon size={16} aria-hidden />
          <span>{entry.label}</span>
          {entry.note && <small>{entry.note}</small>}
        </li>
      ))}
      {entries.length === 0 && (
        <li role="option" aria-selected={false} aria-disabled>
          Nothing matches these letters.
        </li>
      )}
    </ul>
  );
}

interface BoxProps {
  listId: string;
  chosenId: string | undefined;
  words: string;
  onWords: (words: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

function SearchBox({ listId, chosenId, words, onWords, onKeyDown }: BoxProps) {
  return (
    <TextInput
      data-autofocus
      size="md"
      variant="unstyled"
      className={classes.box}
      leftSection={<Search size={18} aria-hidden />}
      placeholder="Go to a page, a document, a run…"
      aria-label="Search and commands"
      role="combobox"
      aria-expanded
      aria-controls={listId}
      aria-activedescendant={chosenId}
      value={words}
      onChange={(event) => onWords(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

/** The arrow keys go through the list, Enter opens what they are at. */
function stepping(chosen: number, count: number, onPlace: (place: number) => void, onEnter: () => void) {
  return (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") onPlace(Math.min(count - 1, chosen + 1));
    else if (event.key === "ArrowUp") onPlace(Math.max(0, chosen - 1));
    else if (event.key === "Enter") onEnter();
    else return;
    event.preventDefault();
  };
}
