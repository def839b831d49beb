import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Hammer } from "lucide-react";
import { buildsQuery } from "~/api/queries";
import type { Build } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { Took } from "~/components/RunTable";
import { BuildBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { VirtualTable, type Column } from "~/components/VirtualTable";
import { bytes, count } from "~/logic/numbers";

const COLUMNS: Column<Build>[] = [
  {
    id: "configuration",
    header: "Configuration",
    cell: (build) => (
      <Link to="/builds/$buildId" params={{ buildId: build.id }} className="link">
        {build.configuration_name} · {build.is_test ? "draft" : `version ${build.version}`}
      </Link>
    ),
  },
  { id: "status", header: "Status", width: "130px", cell: (build) => <BuildBadge status={build.status} /> },
  {
    id: "fingerprint",
    header: "Fingerprint",
    width: "150px",
    from: "md",
    cell: (build) => <span className="mono">{build.fingerprint.slice(0, 12)}</span>,
  },
  {
    id: "waiting",
    header: "Runs waiting",
    width: "120px",
    align: "right",
    from: "sm",
    cell: (build) => <span className="num">{count(build.waiting_run_count)}</span>,
  },
  {
    id: "size",
    header: "Size",
    width: "90px",
    align: "right",
    from: "lg",
    cell: (build) => (build.size_bytes === null ? "–" : bytes(build.size_bytes)),
  },
  { id: "took", header: "Took", width: "100px", align: "right", from: "md", cell: (build) => <Took run={build} /> },
  {
    id: "at",
    header: "Asked for",
    width: "150px",
    align: "right",
    from: "sm",
    cell: (build) => <Time at={build.created_at} />,
  },
];

export default function BuildsPage() {
  usePageTitle("Builds");
  const navigate = useNavigate();
  const builds = useQuery(buildsQuery());
  const items = builds.data?.items ?? [];
  return (
    <>
      <PageHead title="Builds" note="The environment of a configuration version, made once and shared by its runs" />
      {errorOf(builds) && <ErrorPanel error={errorOf(builds)} onAgain={() => void builds.refetch()} />}
      {builds.isPending && (
        <div className="card">
          <RowsSkeleton />
        </div>
      )}
      {builds.data && items.length === 0 && (
        <div className="card">
          <Empty icon={<Hammer aria-hidden />} title="No builds yet">
            The first run of a configuration version makes its build.
          </Empty>
        </div>
      )}
      {items.length > 0 && (
        <VirtualTable
          label="Builds"
          rows={items}
          columns={COLUMNS}
          keyOf={(build) => build.id}
          onOpen={(build) => void navigate({ to: "/builds/$buildId", params: { buildId: build.id } })}
        />
      )}
    </>
  );
}
