/** The kinds of files that documents come in. Everything on the page that names them names these. */
export const SUFFIXES = ["xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "tsv"] as const;

/** As a file input wants them. */
export const ACCEPTED = SUFFIXES.map((suffix) => `.${suffix}`).join(",");

/** "xlsx, xls or csv": for sentences. */
export const FORMAT_WORDS = `${SUFFIXES.slice(0, -1).join(", ")} or ${SUFFIXES.at(-1)}`;
