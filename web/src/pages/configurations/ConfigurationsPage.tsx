import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FileSpreadsheet, Plus, SlidersHorizontal, SquarePen } from "lucide-react";
import { useState } from "react";
import { configurationsQuery } from "~/api/queries";
import type { Configuration } from "~/api/types";
import { errorOf, Empty, ErrorPanel, CardSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { VirtualTable, type Column } from "~/components/VirtualTable";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { ProposalsLink } from "../proposals/ProposalsLink";
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
  const [isOpen, setOpen] = useState(false);
  const configurations = useQuery(configurationsQuery(workspace.id));
  const items = configurations.data?.items ?? [];
  return (
    <>
      <PageHead title="Configurations" note="Small Python rules that define how documents of a kind are normalised">
        <NewButtons onNew={() => setOpen(true)} onExample={() => void navigate({ to: "/configurations/new" })} />
      </PageHead>
      <ProposalsLink />
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

function NewButtons({ onNew, onExample }: { onNew: () => void; onExample: () => void }) {
  const forbidden = useForbidden("author");
  const able = { disabled: forbidden !== null, title: forbidden ?? undefined };
  return (
    <>
      <Button variant="default" leftSection={<Plus size={16} />} onClick={onNew} {...able}>
        New
      </Button>
      <Button leftSection={<FileSpreadsheet size={16} />} onClick={onExample} {...able}>
        From a spreadsheet
      </Button>
    </>
  );
}

function NoConfigurations() {
  return (
    <div className="card">
      <Empty icon={<SlidersHorizontal aria-hidden />} title="No configuration yet">
        Upload a spreadsheet whose columns are as you want them, or start from an example in code.
      </Empty>
    </div>
  );
}
