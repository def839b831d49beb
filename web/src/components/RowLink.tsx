import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

interface Props {
  to: "/documents" | "/runs" | "/builds" | "/configurations";
  id: string;
  className?: string;
  /** j and k go from one of these to the next. */
  isRow?: boolean;
  title?: string;
  children: ReactNode;
}

/** A link in a long list: the router's own knows whether it is active, which costs too much for each of many rows. */
export function RowLink({ to, id, className = "link", isRow = false, title, children }: Props) {
  const router = useRouter();
  const href = `${to}/${id}`;
  const open = (event: MouseEvent): void => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a
      href={href}
      className={className}
      title={title}
      data-row={isRow || undefined}
      onClick={open}
      onPointerEnter={() => void router.preloadRoute({ to: href }).catch(() => undefined)}
    >
      {children}
    </a>
  );
}
