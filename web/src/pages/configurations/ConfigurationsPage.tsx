import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, SlidersHorizontal, SquarePen } from "lucide-react";
import { useState } from "react";
import { configurationsQuery } from "~/api/queries";
import type { Configuration } from "~/api/types";
import { errorOf, Empty, ErrorPanel, CardSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { VirtualTable, type Column } from "~/components/VirtualTable";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { NewModal } from "./NewModal";

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
      {configurations.isPending && <CardSkeleton />}
      {configurations.data && items.length === 0 && <NoConfigurations />}
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

function NoConfigurations() {
  return (
    <div className="card">
      <Empty icon={<SlidersHorizontal aria-hidden />} title="No configuration yet">
        Start from an example; a useful column rule takes under ten lines.
      </Empty>
    </div>
  );
}
