import { ActionIcon, Button, Group, Menu, TagsInput, TextInput, Modal, Text } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { EllipsisVertical, FileUp, Play, Search, Tag, Trash2, X } from "lucide-react";
import { useState } from "react";
import { api } from "~/api/client";
import { documentsQuery } from "~/api/queries";
import type { Document } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showDone, showProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RowLink } from "~/components/RowLink";
import { Tick } from "~/components/Tick";
import { Time } from "~/components/Time";
import { VirtualTable, type Column } from "~/components/VirtualTable";
import { bytes, counted } from "~/logic/numbers";
import { ticked } from "~/logic/selection";
import { useUploads } from "~/shell/upload/UploadProvider";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { RunModal } from "./RunModal";

const route = getRouteApi("/documents");

export default function DocumentsPage() {
  usePageTitle("Documents");
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/documents" });
  const uploads = useUploads();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const documents = useInfiniteQuery(documentsQuery(workspace.id, { name: search.name, tag: search.tag }));
  const items = documents.data?.pages.flatMap((page) => page.items) ?? [];
  const words = useTextOf(search.name ?? "");
  const seek = useDebouncedCallback((name: string) => {
    words.follow(name);
    void navigate({
      search: { ...search, ...(name ? { name } : { name: undefined }) } as typeof search,
      replace: true,
    });
  }, 250);
  const isFiltered = Boolean(search.name ?? search.tag);
  const toggle = (id: string, isShift: boolean): void => {
    const ids = items.map((one) => one.id);
    setChosen(ticked(chosen, ids, isShift ? last : null, id));
    setLast(id);
  };
  const columns: Column<Document>[] = [
    {
      id: "choose",
      header: (
        <Tick
          label="Choose all documents of this list"
          isTicked={chosen.size > 0 && items.every((one) => chosen.has(one.id))}
          isPartly={chosen.size > 0 && !items.every((one) => chosen.has(one.id))}
          onChange={() => setChosen(new Set(chosen.size > 0 ? [] : items.map((one) => one.id)))}
        />
      ),
      width: "44px",
      cell: (one) => (
        <Tick
          label={`Choose ${one.name}`}
          isTicked={chosen.has(one.id)}
          onChange={(isShift) => toggle(one.id, isShift)}
        />
      ),
    },
    {
      id: "name",
      header: "Name",
      cell: (one) => (
        <RowLink to="/documents" id={one.id} title={one.name}>
          {one.name}
        </RowLink>
      ),
    },
    {
      id: "tags",
      header: "Tags",
      width: "20%",
      from: "md",
      cell: (one) => one.tags.map((tag) => <TagLink key={tag} tag={tag} />),
    },
    {
      id: "sheets",
      header: "Sheets",
      width: "80px",
      align: "right",
      from: "md",
      cell: (one) => <span className="num">{one.sheets.length}</span>,
    },
    {
      id: "size",
      header: "Size",
      width: "90px",
      align: "right",
      from: "sm",
      cell: (one) => <span className="num">{bytes(one.size_bytes)}</span>,
    },
    { id: "by", header: "By", width: "120px", from: "lg", cell: (one) => one.created_by ?? "–" },
    { id: "at", header: "Uploaded", width: "150px", align: "right", cell: (one) => <Time at={one.created_at} /> },
  ];
  return (
    <>
      <PageHead title="Documents" note="What was uploaded, as it was uploaded" />
      {(items.length > 0 || isFiltered) && (
        <Group mb="md" gap="sm">
          <TextInput
            data-search
            aria-label="Find by name"
            placeholder="Find by name"
            leftSection={<Search size={16} aria-hidden />}
            value={words.text}
            onChange={(event) => {
              words.type(event.currentTarget.value);
              seek(event.currentTarget.value);
            }}
          />
          {search.tag && (
            <Button
              variant="default"
              size="sm"
              leftSection={<Tag size={14} />}
              rightSection={<X size={14} />}
              onClick={() => void navigate({ search: {} })}
            >
              {search.tag}
            </Button>
          )}
          <span style={{ flex: 1 }} />
          {chosen.size > 0 && (
            <Bulk documents={items.filter((one) => chosen.has(one.id))} onDone={() => setChosen(new Set())} />
          )}
        </Group>
      )}
      {errorOf(documents) && <ErrorPanel error={errorOf(documents)} onAgain={() => void documents.refetch()} />}
      {documents.isPending && (
        <div className="card">
          <RowsSkeleton rows={10} />
        </div>
      )}
      {documents.data && items.length === 0 && (
        <div className="card">
          <Empty
            icon={<FileUp aria-hidden />}
            title={isFiltered ? "No document matches" : "No documents yet"}
            action={
              <Button
                mt="sm"
                variant="default"
                disabled={!isFiltered && uploads.forbidden !== null}
                title={isFiltered ? undefined : (uploads.forbidden ?? undefined)}
                onClick={isFiltered ? () => void navigate({ search: {} }) : uploads.choose}
              >
                {isFiltered ? "Show all" : "Choose files"}
              </Button>
            }
          >
            {isFiltered
              ? "Try another name or tag."
              : "Drop spreadsheets anywhere on this page: xlsx, xlsm, xlsb, xls, ods, csv or tsv, as many as you like."}
          </Empty>
        </div>
      )}
      {items.length > 0 && (
        <VirtualTable
          label="Documents"
          rows={items}
          columns={columns}
          keyOf={(one) => one.id}
          onOpen={(one) => void navigate({ to: "/documents/$documentId", params: { documentId: one.id } })}
          onEnd={() => {
            if (documents.hasNextPage && !documents.isFetchingNextPage) void documents.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

interface Typed {
  text: string;
  type: (text: string) => void;
  /** Say what the address will be because of the text, so that it does not take back what was typed meanwhile. */
  follow: (address: string) => void;
}

/** A text that somebody types into the address, and that becomes another when the address does by itself. */
function useTextOf(address: string): Typed {
  const [typed, setTyped] = useState({ text: address, address, followed: address });
  if (typed.address !== address)
    setTyped({ ...typed, text: address === typed.followed ? typed.text : address, address });
  return {
    text: typed.text,
    type: (text) => setTyped((before) => ({ ...before, text })),
    follow: (followed) => setTyped((before) => ({ ...before, followed })),
  };
}

function TagLink({ tag }: { tag: string }) {
  return (
    <Link to="/documents" search={{ tag }} className="chip">
      {tag}
    </Link>
  );
}

/** What can be done with several documents at once. */
function Bulk({ documents, onDone }: { documents: Document[]; onDone: () => void }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const [opened, setOpened] = useState<"run" | "tags" | "delete" | null>(null);
  const [tags, setTags] = useState<string[]>([]);
  const finish = async (words: string): Promise<void> => {
    await client.invalidateQueries({ queryKey: ["documents"] });
    showDone(words);
    setOpened(null);
    onDone();
  };
  const change = useMutation({
    mutationFn: () =>
      Promise.all(
        documents.map((one) => api.patch(`/documents/${one.id}`, { tags: [...new Set([...one.tags, ...tags])] })),
      ),
    onSuccess: () => finish(`${counted(documents.length, "document")} tagged`),
    onError: showProblem,
  });
  const remove = useMutation({
    mutationFn: () => Promise.all(documents.map((one) => api.delete(`/documents/${one.id}`))),
    onSuccess: () => finish(`${counted(documents.length, "document")} deleted`),
    onError: showProblem,
  });
  return (
    <>
      <Button
        size="sm"
        leftSection={<Play size={15} />}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={() => setOpened("run")}
      >
        Run {counted(documents.length, "document")}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            aria-label="More for the chosen documents"
            disabled={forbidden !== null}
          >
            <EllipsisVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Tag size={15} />} onClick={() => setOpened("tags")}>
            Add tags
          </Menu.Item>
          <Menu.Item leftSection={<Trash2 size={15} />} onClick={() => setOpened("delete")}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opened === "run" && <RunModal documents={documents} onClose={() => setOpened(null)} />}
      <Modal
        opened={opened === "tags"}
        onClose={() => setOpened(null)}
        title={`Tags for ${counted(documents.length, "document")}`}
      >
        <TagsInput data-autofocus label="Tags to add" value={tags} onChange={setTags} mb="md" />
        <Group justify="flex-end">
          <Button loading={change.isPending} disabled={tags.length === 0} onClick={() => change.mutate()}>
            Add
          </Button>
        </Group>
      </Modal>
      <Modal
        opened={opened === "delete"}
        onClose={() => setOpened(null)}
        title={`Delete ${counted(documents.length, "document")}?`}
      >
        <Text size="sm" mb="md">
          Their runs and results stay until retention removes them.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setOpened(null)}>
            Keep them
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </Group>
      </Modal>
    </>
  );
}
