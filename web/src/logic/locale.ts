/** The one place that asks the browser for its language: some tell one that no date or number can be written in. */

/** Return the first of the tags that is a language, such as "de-AT"; English where none is. */
export function usableLocale(tags: readonly (string | undefined)[]): string {
  for (const tag of tags) {
    try {
      if (tag && Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0) return tag;
    } catch {
      // "en-US@posix" and its like: not a tag at all.
    }
  }
  return "en";
}

export const LOCALE = usableLocale(
  typeof navigator === "undefined" ? [] : [...(navigator.languages ?? []), navigator.language],
);
