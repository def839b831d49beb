import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import classes from "./PageHead.module.css";

/** The way up, to the list a page is from or to what it is a part of. */
export function BackLink({ label, ...way }: Pick<LinkProps, "to" | "params"> & { label: string }) {
  return (
    <Link {...way} className={`link ${classes.back}`}>
      <ArrowLeft size={14} aria-hidden /> {label}
    </Link>
  );
}
