/** The kinds of files that documents come in. Everything on the page that names them names these. */
export const SUFFIXES = ["xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "tsv"] as const;

/** As a file input wants them. */
export const ACCEPTED = SUFFIXES.map((suffix) => `.${suffix}`).join(",");

/** "xlsx, xls or csv": for sentences. */
export const FORMAT_WORDS = `${SUFFIXES.slice(0, -1).join(", ")} or ${SUFFIXES.at(-1)}`;

const TEXTS: readonly string[] = ["csv", "tsv"];

/** Whether a file of this name is a document that is no text: it can be downloaded, and not be edited as text. */
export function isWorkbook(path: string): boolean {
  const suffix = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return SUFFIXES.some((one) => one === suffix) && !TEXTS.includes(suffix);
}
