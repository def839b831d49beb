import { Button, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FileUp, Search, Tag, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { documentsQuery } from "~/api/queries";
import { errorOf, Empty, ErrorPanel, CardSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { VirtualTable } from "~/components/VirtualTable";
import { useUploads } from "~/shell/upload/UploadProvider";
import { useWorkspace } from "~/shell/workspace";
import { useTicks } from "~/components/useTicks";
import { FORMAT_WORDS } from "~/logic/formats";
import { Bulk } from "./BulkDocuments";
import { documentColumns } from "./documentColumns";

const route = getRouteApi("/documents");

export default function DocumentsPage() {
  usePageTitle("Documents");
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/documents" });
  const documents = useInfiniteQuery(documentsQuery(workspace.id, { name: search.name, tag: search.tag }));
  const items = documents.data?.pages.flatMap((page) => page.items) ?? [];
  const finder = useFinder(search);
  const ticks = useTicks(items.map((one) => one.id));
  const isFiltered = Boolean(search.name ?? search.tag);
  return (
    <>
      <PageHead title="Documents" note="Uploaded documents, unchanged" />
      {(items.length > 0 || isFiltered) && (
        <Filter tag={search.tag} finder={finder}>
          {ticks.chosen.size > 0 && (
            <Bulk documents={items.filter((one) => ticks.chosen.has(one.id))} onDone={ticks.clear} />
          )}
        </Filter>
      )}
      {errorOf(documents) && <ErrorPanel error={errorOf(documents)} onAgain={() => void documents.refetch()} />}
      {documents.isPending && <CardSkeleton rows={10} />}
      {documents.data && items.length === 0 && <NoDocuments isFiltered={isFiltered} />}
      {items.length > 0 && (
        <VirtualTable
          label="Documents"
          rows={items}
          columns={documentColumns(ticks)}
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

interface FilterProps {
  tag: string | undefined;
  finder: Finder;
  children: ReactNode;
}

/** Narrows the list by name and tag. */
function Filter({ tag, finder, children }: FilterProps) {
  const navigate = useNavigate({ from: "/documents" });
  return (
    <Group mb="md" gap="sm">
      <TextInput
        data-search
        aria-label="Find by name"
        placeholder="Find by name"
        leftSection={<Search size={16} aria-hidden />}
        value={finder.text}
        onChange={(event) => finder.find(event.currentTarget.value)}
      />
      {tag && (
        <Button
          variant="default"
          size="sm"
          leftSection={<Tag size={14} />}
          rightSection={<X size={14} />}
          onClick={() => void navigate({ search: {} })}
        >
          {tag}
        </Button>
      )}
      <span style={{ flex: 1 }} />
      {children}
    </Group>
  );
}

function NoDocuments({ isFiltered }: { isFiltered: boolean }) {
  const navigate = useNavigate({ from: "/documents" });
  const uploads = useUploads();
  return (
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
          : `Drop spreadsheets anywhere on this page: ${FORMAT_WORDS}, as many as you like.`}
      </Empty>
    </div>
  );
}

interface Finder {
  text: string;
  find: (name: string) => void;
}

/** Finds by name: the address follows what is typed. */
function useFinder(search: { name?: string; tag?: string }): Finder {
  const navigate = useNavigate({ from: "/documents" });
  const words = useTextOf(search.name ?? "");
  const seek = useDebouncedCallback((name: string) => {
    words.follow(name);
    void navigate({
      search: { ...search, ...(name ? { name } : { name: undefined }) } as typeof search,
      replace: true,
    });
  }, 250);
  return {
    text: words.text,
    find: (name) => {
      words.type(name);
      seek(name);
    },
  };
}

interface Typed {
  text: string;
  type: (text: string) => void;
  /** Say what the address will be because of the text, so that it does not take back what was typed meanwhile. */
  follow: (address: string) => void;
}

/** A text that is typed into the address, and that follows other changes of the address. */
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
