import { Button, Group } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import { auditQuery } from "~/api/queries";
import type { AuditEntry } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { Time } from "~/components/Time";
import { actionWords, changeWords as changes } from "~/logic/audit";
import { VirtualTable, type Column } from "~/components/VirtualTable";

const COLUMNS: Column<AuditEntry>[] = [
  { id: "at", header: "When", width: "min(130px, 30vw)", cell: (row) => <Time at={row.at} /> },
  { id: "who", header: "Who", width: "min(140px, 22vw)", cell: (row) => row.actor_name },
  {
    id: "action",
    header: "What",
    width: "190px",
    cell: (row) => <span title={row.action}>{actionWords(row.action)}</span>,
  },
  { id: "changes", header: "Change", from: "sm", cell: (row) => <span title={changes(row)}>{changes(row)}</span> },
  {
    id: "reason",
    header: "Why",
    width: "26%",
    from: "md",
    cell: (row) => <span title={row.reason ?? undefined}>{row.reason ?? ""}</span>,
  },
];

/** Who changed what, when and why. */
export function AuditTab() {
  const audit = useInfiniteQuery(auditQuery);
  const items = audit.data?.pages.flatMap((page) => page.items) ?? [];
  if (errorOf(audit)) return <ErrorPanel error={errorOf(audit)} />;
  if (audit.isPending) return <RowsSkeleton rows={10} />;
  if (items.length === 0)
    return (
      <div className="card">
        <Empty icon={<ScrollText aria-hidden />} title="Nothing was changed yet" />
      </div>
    );
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={() => save(items)}>
          Export
        </Button>
      </Group>
      <VirtualTable
        label="Audit log"
        rows={items}
        columns={COLUMNS}
        keyOf={(row) => String(row.position)}
        onEnd={() => {
          if (audit.hasNextPage && !audit.isFetchingNextPage) void audit.fetchNextPage();
        }}
      />
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
