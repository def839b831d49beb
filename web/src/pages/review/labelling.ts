import { labelOf, type Manifest } from "~/api/manifest";
import { fieldWords } from "~/logic/issues";
import type { Correction } from "~/api/types";

/** Names fields for people, also those that only the corrections make. */
export function labelling(corrections: readonly Correction[], manifest: Manifest | null): (field: string) => string {
  const made = new Map(
    corrections.flatMap((one) => (one.kind === "new_field" ? [[one.field, one.label] as const] : [])),
  );
  return (field) => made.get(field) ?? (manifest ? labelOf(manifest, field) : fieldWords(field));
}
