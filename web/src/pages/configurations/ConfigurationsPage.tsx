import { Button, FileInput, Group, Modal, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FileArchive, Plus, SlidersHorizontal, SquarePen } from "lucide-react";
import { useState, type FormEvent } from "react";
import { createConfiguration } from "~/api/drafts";
import { configurationsQuery } from "~/api/queries";
import type { Configuration } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { VirtualTable, type Column } from "~/components/VirtualTable";
import { useForbidden, useWorkspace } from "~/shell/workspace";

const COLUMNS: Column<Configuration>[] = [
  {
    id: "name",
    header: "Name",
    cell: (one) => (
      <Link to="/configurations/$configurationId" params={{ configurationId: one.id }} className="link">
        {one.name}
      </Link>
    ),
  },
  {
    id: "published",
    header: "Published",
    width: "150px",
    cell: (one) => (one.published_version === null ? "nothing yet" : `version ${one.published_version}`),
  },
  {
    id: "draft",
    header: "Draft",
    width: "140px",
    from: "sm",
    cell: (one) =>
      one.draft_version === null ? (
        "–"
      ) : (
        <ToneBadge label={`version ${one.draft_version}`} tone="warn" icon={SquarePen} />
      ),
  },
  { id: "by", header: "By", width: "130px", from: "md", cell: (one) => one.created_by ?? "–" },
  {
    id: "at",
    header: "Created",
    width: "140px",
    align: "right",
    from: "sm",
    cell: (one) => <Time at={one.created_at} />,
  },
];

export default function ConfigurationsPage() {
  usePageTitle("Configurations");
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const forbidden = useForbidden("author");
  const [isOpen, setOpen] = useState(false);
  const configurations = useQuery(configurationsQuery(workspace.id));
  const items = configurations.data?.items ?? [];
  return (
    <>
      <PageHead title="Configurations" note="Small Python rules that say how documents of a kind are normalised">
        <Button
          leftSection={<Plus size={16} />}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
          onClick={() => setOpen(true)}
        >
          New
        </Button>
      </PageHead>
      {errorOf(configurations) && (
        <ErrorPanel error={errorOf(configurations)} onAgain={() => void configurations.refetch()} />
      )}
      {configurations.isPending && (
        <div className="card">
          <RowsSkeleton />
        </div>
      )}
      {configurations.data && items.length === 0 && (
        <div className="card">
          <Empty icon={<SlidersHorizontal aria-hidden />} title="No configuration yet">
            Start from an example; a useful column rule takes under ten lines.
          </Empty>
        </div>
      )}
      {items.length > 0 && (
        <VirtualTable
          label="Configurations"
          rows={items}
          columns={COLUMNS}
          keyOf={(one) => one.id}
          onOpen={(one) =>
            void navigate({ to: "/configurations/$configurationId", params: { configurationId: one.id } })
          }
        />
      )}
      {isOpen && <NewModal onClose={() => setOpen(false)} />}
    </>
  );
}

function NewModal({ onClose }: { onClose: () => void }) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [kind, setKind] = useState("example");
  const [archive, setArchive] = useState<File | null>(null);
  const create = useMutation({
    mutationFn: () => createConfiguration(workspace.id, name, kind === "zip" ? archive : kind),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      void navigate({ to: "/configurations/$configurationId/edit", params: { configurationId: made.id } });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="New configuration">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            data-autofocus
            label="Name"
            required
            placeholder="Members"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SegmentedControl
            aria-label="Start from"
            data={[
              { value: "example", label: "An example" },
              { value: "minimal", label: "One field" },
              { value: "zip", label: "A zip archive" },
            ]}
            value={kind}
            onChange={setKind}
          />
          {kind === "zip" && (
            <FileInput
              label="Archive"
              accept=".zip"
              leftSection={<FileArchive size={16} />}
              value={archive}
              onChange={setArchive}
              placeholder="Choose a file"
            />
          )}
          {create.error && <ErrorPanel error={create.error} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={create.isPending}
              disabled={name.trim() === "" || (kind === "zip" && !archive)}
            >
              Create the draft
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
