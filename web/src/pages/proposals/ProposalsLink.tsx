import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { overviewQuery } from "~/api/queries";
import { counted } from "~/logic/numbers";
import { useWorkspace } from "~/shell/workspace";
import classes from "./proposals.module.css";

/** How many documents have corrections that wait for an author, and the way to them; nothing where none do. */
export function ProposalsLink() {
  const { workspace } = useWorkspace();
  const waiting = useQuery(overviewQuery(workspace.id)).data?.proposal_count ?? 0;
  if (waiting === 0) return null;
  return (
    <Link to="/proposals" className={`card ${classes.waiting}`}>
      <Inbox size={18} aria-hidden />
      Corrections of {counted(waiting, "document")} wait for an author
    </Link>
  );
}
