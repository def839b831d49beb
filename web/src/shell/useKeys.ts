import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { NAVIGATION } from "./navigation";
import { isTyping } from "./typing";

const SEQUENCE_MS = 1200;

/** The keys that work on every page: Ctrl or ⌘ and K, /, ?, g and a letter, j and k. */
export function useKeys({ openPalette, openHelp }: { openPalette: () => void; openHelp: () => void }): void {
  const navigate = useNavigate();
  const armedAt = useRef<number | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const isSequence = armedAt.current !== null && event.timeStamp - armedAt.current < SEQUENCE_MS;
      armedAt.current = null;
      if (isSequence) {
        const found = NAVIGATION.find((one) => one.key === event.key);
        if (found) void navigate({ to: found.to });
      } else if (event.key === "g") armedAt.current = event.timeStamp;
      else if (event.key === "/") focusSearch(event, openPalette);
      else if (event.key === "?") openHelp();
      else if (event.key === "j" || event.key === "k") moveFocus(event.key === "j" ? 1 : -1);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [navigate, openPalette, openHelp]);
}

/** The page's own search box, or the palette where it has none. */
function focusSearch(event: KeyboardEvent, openPalette: () => void): void {
  event.preventDefault();
  const box = window.document.querySelector<HTMLInputElement>("[data-search]");
  if (box) box.focus();
  else openPalette();
}

/** To the next or the previous row of the list on the page. */
function moveFocus(step: number): void {
  const rows = [...window.document.querySelectorAll<HTMLElement>("[data-row]")];
  const place = rows.findIndex((row) => row === window.document.activeElement);
  const next = rows[place < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, place + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
