import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { useEffect, useLayoutEffect, type RefObject } from "react";
import type { Listeners } from "./QueueRow";

/** Makes the row around it one that can be dragged and dropped on. It draws nothing: the row stays the element it was. */
export function Sortable({
  id,
  rowRef,
  gripRef,
  listenersRef,
}: {
  id: string;
  rowRef: RefObject<HTMLElement | null>;
  gripRef: RefObject<HTMLElement | null>;
  listenersRef: RefObject<Listeners>;
}) {
  const sortable = useSortable({ id });
  const { setNodeRef, setActivatorNodeRef, isDragging, transform, transition } = sortable;
  // Not before the row itself is known: children of an element are mounted first.
  useEffect(() => {
    setNodeRef(rowRef.current);
    setActivatorNodeRef(gripRef.current);
    return () => {
      setNodeRef(null);
      setActivatorNodeRef(null);
    };
  }, [rowRef, gripRef, setNodeRef, setActivatorNodeRef]);
  useLayoutEffect(() => {
    listenersRef.current = sortable.listeners;
  }, [listenersRef, sortable.listeners]);
  useLayoutEffect(() => {
    const element = rowRef.current;
    if (!element) return undefined;
    element.style.transform = CSS.Translate.toString(transform) ?? "";
    element.style.transition = transition ?? "";
    element.toggleAttribute("data-dragged", isDragging);
    return () => {
      element.style.transform = "";
      element.style.transition = "";
      element.removeAttribute("data-dragged");
    };
  }, [rowRef, isDragging, transform, transition]);
  return null;
}
