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
  const open = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.open();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setPlace(Math.min(entries.length - 1, chosen + 1));
    else if (event.key === "ArrowUp") setPlace(Math.max(0, chosen - 1));
    else if (event.key === "Enter") open(entries[chosen]);
    else return;
    event.preventDefault();
  };
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
        aria-activedescendant={entries[chosen]?.id}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={press}
      />
      <ul id={listId} role="listbox" aria-label="Found" className={classes.list}>
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={entry.id}
            role="option"
            aria-selected={index === chosen}
            onMouseMove={() => setPlace(index)}
            onClick={() => open(entry)}
          >
            <entry.icon size={16} aria-hidden />
            <span>{entry.label}</span>
            {entry.note && <small>{entry.note}</small>}
          </li>
        ))}
        {entries.length === 0 && (
          <li role="option" aria-selected={false} aria-disabled>
            Nothing has these letters.
          </li>
        )}
      </ul>
    </Modal>
  );
}

function useEntries(words: string): Entry[] {
  const navigate = useNavigate();
  const uploads = useUploads();
  const { workspace } = useWorkspace();
  const configurations = useQuery(configurationsQuery(workspace.id)).data?.items ?? [];
  const runs = useQuery(recentRunsQuery(workspace.id, {}, 20)).data?.items ?? [];
  const documents =
    useQuery({
      queryKey: ["documents", workspace.id, "palette", words],
      queryFn: () => api.get<Page<Document>>(`/workspaces/${workspace.id}/documents`, { name: words, limit: 6 }),
      placeholderData: (before) => before,
    }).data?.items ?? [];
  const isMeant = (label: string): boolean => label.toLowerCase().includes(words.trim().toLowerCase());
  return [
    ...NAVIGATION.map((one) => ({
      id: `go${one.to}`,
      label: one.label,
      note: `g ${one.key}`,
      icon: one.icon,
      open: () => void navigate({ to: one.to }),
    })),
    { id: "upload", label: "Upload documents", icon: Upload, open: uploads.choose },
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
  ].filter((entry) => isMeant(entry.label) || entry.id.startsWith(words.trim()));
}
