/** Actions that must happen once, however many clicks there are. */
import { useRef } from "react";
import { newKey } from "./actions";

/**
 * Return an action that happens once per intent. A click while it is on its way joins it; a click after it failed
 * sends the same key again, so that what the server did before its answer was lost is not done twice.
 */
export function useOnce<Words extends unknown[], Done>(
  act: (key: string, ...words: Words) => Promise<Done>,
): (...words: Words) => Promise<Done> {
  const once = useRef<Once<Done> | null>(null);
  return (...words) => {
    once.current ??= new Once<Done>();
    return once.current.do(JSON.stringify(words), (key) => act(key, ...words));
  };
}

export class Once<Done> {
  private underWay: Promise<Done> | null = null;
  private intent: { of: string; key: string } | null = null;

  do(of: string, act: (key: string) => Promise<Done>): Promise<Done> {
    if (this.underWay) return this.underWay;
    if (this.intent?.of !== of) this.intent = { of, key: newKey() };
    this.underWay = act(this.intent.key)
      .then((done) => {
        this.intent = null;
        return done;
      })
      .finally(() => {
        this.underWay = null;
      });
    return this.underWay;
  }
}

/** Leave out the rest of a double click: it was meant for what stood here before. */
export function onFirstClick(act: () => void): (event: { detail: number }) => void {
  return (event) => {
    if (event.detail <= 1) act();
  };
}
