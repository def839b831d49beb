import { Link } from "@tanstack/react-router";
import type { Document } from "~/api/types";
import { RowLink } from "~/components/RowLink";
import { RunBadge } from "~/components/status";
import { Tick } from "~/components/Tick";
import { Time } from "~/components/Time";
import type { Column } from "~/components/VirtualTable";
import { bytes } from "~/logic/numbers";
import type { Ticks } from "~/components/useTicks";

/** The columns of a list of documents. */
export function documentColumns(ticks: Ticks): Column<Document>[] {
  return [tickColumn(ticks), ...FACTS];
}

function tickColumn(ticks: Ticks): Column<Document> {
  return {
    id: "choose",
    header: (
      <Tick
        label="Choose all documents of this list"
        isTicked={ticks.isAll}
        isPartly={ticks.isPartly}
        onChange={ticks.toggleAll}
      />
    ),
    width: "44px",
    cell: (one) => (
      <Tick
        label={`Choose ${one.name}`}
        isTicked={ticks.chosen.has(one.id)}
        onChange={(isShift) => ticks.toggle(one.id, isShift)}
      />
    ),
  };
}

const FACTS: Column<Document>[] = [
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
    id: "run",
    header: "Newest run",
    width: "min(140px, 36vw)",
    cell: (one) => (one.newest_run ? <RunBadge run={one.newest_run} /> : <span>–</span>),
  },
  {
    id: "tags",
    header: "Tags",
    width: "14%",
    from: "md",
    cell: (one) => one.tags.map((tag) => <TagLink key={tag} tag={tag} />),
  },
  {
    id: "sheets",
    header: "Sheets",
    width: "80px",
    align: "right",
    from: "md",
    cell: (one) => <span className="num">{one.sheet_count}</span>,
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
  {
    id: "at",
    header: "Uploaded",
    width: "150px",
    align: "right",
    from: "sm",
    cell: (one) => <Time at={one.created_at} />,
  },
];

function TagLink({ tag }: { tag: string }) {
  return (
    <Link to="/documents" search={{ tag }} className="chip">
      {tag}
    </Link>
  );
}
