/** Keys as they are written on this machine's keyboard. */
const IS_MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The key that commands are given with. */
export const MOD = IS_MAC ? "⌘" : "Ctrl";

/** "⌘K" or "Ctrl+K". */
export function withMod(key: string): string {
  return IS_MAC ? `⌘${key === "Enter" ? "↵" : key}` : `Ctrl+${key}`;
}
