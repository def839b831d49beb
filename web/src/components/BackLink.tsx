import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import classes from "./PageHead.module.css";

/** The way up, to the list a page is from. */
export function BackLink({ to, label }: { to: "/documents" | "/runs" | "/builds" | "/configurations"; label: string }) {
  return (
    <Link to={to} className={`link ${classes.back}`}>
      <ArrowLeft size={14} aria-hidden /> {label}
    </Link>
  );
}
