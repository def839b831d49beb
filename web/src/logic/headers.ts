/** Headers as the engine compares them. */

/** A header without case, spaces and punctuation. */
export function comparable(header: string): string {
  const letters = header
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{S}%&@*§†‰]+/gu, "");
  return letters || header.trim();
}
