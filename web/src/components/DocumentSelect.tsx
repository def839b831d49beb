import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { documentQuery, documentsQuery } from "~/api/queries";
import { useWorkspace } from "~/shell/workspace";

const TYPING_MS = 250;

interface Props {
  label: string;
  documentId: string | null;
  onChoose: (documentId: string) => void;
}

/** Any document of the workspace: the newest at first, all others by their name. */
export function DocumentSelect({ label, documentId, onChoose }: Props) {
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState("");
  const [words] = useDebouncedValue(typed, TYPING_MS);
  const chosen = useQuery({ ...documentQuery(documentId ?? ""), enabled: documentId !== null }).data;
  const name = words === chosen?.name ? undefined : words.trim() || undefined;
  const found = useInfiniteQuery({ ...documentsQuery(workspace.id, { name }), placeholderData: keepPreviousData });
  const listed = found.data?.pages[0]?.items ?? [];
  const documents = chosen && !listed.some((one) => one.id === chosen.id) ? [chosen, ...listed] : listed;
  const isEmpty = found.data !== undefined && documents.length === 0 && name === undefined;
  return (
    <Select
      label={label}
      placeholder={isEmpty ? "Upload a document first" : "Choose a document"}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={found.isFetching || words !== typed ? "Searching…" : "No document has this name"}
      data={documents.map((one) => ({ value: one.id, label: one.name }))}
      value={documentId}
      onChange={(value) => value && onChoose(value)}
    />
  );
}
