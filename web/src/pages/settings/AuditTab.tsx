import { Button, Group, Select } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Download, Lock, ScrollText } from "lucide-react";
import { useState } from "react";
import { auditQuery } from "~/api/operationQueries";
import { sessionQuery } from "~/api/queries";
import type { AuditEntry } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { Time } from "~/components/Time";
import { actionWords, changeWords as changes } from "~/logic/audit";
import { VirtualTable, type Column } from "~/components/VirtualTable";

const COLUMNS: Column<AuditEntry>[] = [
  { id: "at", header: "When", width: "min(140px, 36vw)", cell: (row) => <Time at={row.at} /> },
  {
    id: "who",
    header: "Who",
    width: "min(200px, 15vw)",
    cell: (row) => <span title={row.actor_name}>{row.actor_name}</span>,
  },
  {
    id: "action",
    header: "What",
    width: "min(190px, 40vw)",
    cell: (row) => <span title={row.action}>{actionWords(row.action)}</span>,
  },
  { id: "changes", header: "Change", from: "sm", cell: (row) => <span title={changes(row)}>{changes(row)}</span> },
  {
    id: "reason",
    header: "Why",
    width: "20%",
    from: "md",
    cell: (row) => <span title={row.reason ?? undefined}>{row.reason ?? ""}</span>,
  },
];

const KINDS = [
  { value: "api_key", label: "API keys" },
  { value: "build", label: "Builds" },
  { value: "configuration", label: "Configurations" },
  { value: "document", label: "Documents" },
  { value: "pause", label: "Pauses" },
  { value: "plan", label: "Plans" },
  { value: "user", label: "People" },
  { value: "run", label: "Runs" },
  { value: "webhook", label: "Webhooks" },
  { value: "worker", label: "Workers" },
  { value: "workspace", label: "Workspaces and members" },
];

/** Changes with their authors, times and reasons. */
export function AuditTab() {
  const [kind, setKind] = useState<string | null>(null);
  const session = useQuery(sessionQuery).data;
  const mayRead =
    session !== undefined && (session.is_admin || session.memberships.some(({ role }) => role === "admin"));
  const audit = useInfiniteQuery({ ...auditQuery(kind), enabled: mayRead });
  const items = audit.data?.pages.flatMap((page) => page.items) ?? [];
  if (session && !mayRead) return <NotYours />;
  if (errorOf(audit)) return <ErrorPanel error={errorOf(audit)} onAgain={() => void audit.refetch()} />;
  if (audit.isPending && kind === null) return <RowsSkeleton rows={10} />;
  return (
    <>
      <AuditBar kind={kind} onKind={setKind} items={items} />
      {audit.isPending && <RowsSkeleton rows={10} />}
      {audit.data && items.length === 0 && (
        <div className="card">
          <Empty
            icon={<ScrollText aria-hidden />}
            title={kind === null ? "Nothing was changed yet" : "Nothing of this kind was changed yet"}
          />
        </div>
      )}
      {items.length > 0 && (
        <VirtualTable
          label="Audit log"
          rows={items}
          columns={COLUMNS}
          keyOf={(row) => String(row.position)}
          onEnd={() => {
            if (audit.hasNextPage && !audit.isFetchingNextPage) void audit.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

function save(rows: AuditEntry[]): void {
  const lines = rows.map((row) => JSON.stringify(row)).join("\n");
  const address = URL.createObjectURL(new Blob([lines], { type: "application/x-ndjson" }));
  const link = Object.assign(window.document.createElement("a"), { href: address, download: "audit.ndjson" });
  link.click();
  URL.revokeObjectURL(address);
}

function NotYours() {
  return (
    <div className="card">
      <Empty icon={<Lock aria-hidden />} title="You have no access to the audit log">
        It shows what was changed in the workspaces you administer. You administer none; ask an administrator.
      </Empty>
    </div>
  );
}

interface BarProps {
  kind: string | null;
  onKind: (kind: string | null) => void;
  items: AuditEntry[];
}

function AuditBar({ kind, onKind, items }: BarProps) {
  return (
    <Group justify="space-between" mb="sm">
      <Select
        size="xs"
        aria-label="Changes of"
        placeholder="Changes of everything"
        clearable
        data={KINDS}
        value={kind}
        onChange={onKind}
      />
      <Button
        size="xs"
        variant="default"
        leftSection={<Download size={14} />}
        disabled={items.length === 0}
        onClick={() => save(items)}
      >
        Export
      </Button>
    </Group>
  );
}
