import { useEffect, useRef, type RefObject } from "react";

/** Scroll a row sideways so that the part of it that is open is in its middle, whenever another one is. */
export function useInSight<Row extends HTMLElement>(open: string, selector: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  useEffect(() => {
    const shown = row.current;
    const here = shown?.querySelector<HTMLElement>(selector);
    if (shown && here)
      shown.scrollLeft = here.offsetLeft - shown.offsetLeft - (shown.clientWidth - here.offsetWidth) / 2;
  }, [open, selector]);
  return row;
}
