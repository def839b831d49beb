/** What a new file of a configuration is called and starts with. */
import { fieldName, fieldText, unusedName } from "./fieldNames";

export type FileKind = "field" | "hook" | "row type" | "other";

export interface NewFile {
  path: string;
  content: string;
}

const HOOK = `def on_table_end(summary):
    """Is called after each table. Return what should be reported, or nothing."""
    if summary["rows"] == 0:
        return ("warning", "the table has no rows")
`;
const ROW_TYPE = `label = "total"  # title, header, group, data, total, note or blank


def detect_by_first_cell(row):
    """Return how much the row looks like one: above 0 for it, below 0 against it."""
    return 1.0 if row.first.lower().startswith("grand total") else 0.0
`;

/** Return the file for words people write; `paths` are those there are. */
export function newFile(kind: FileKind, words: string, paths: string[]): NewFile {
  if (kind === "other") return { path: words.trim(), content: "" };
  const folder = { field: "columns", hook: "hooks", "row type": "row_types" }[kind];
  const taken = paths.flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1, -3)] : []));
  const name = unusedName(fieldName(words), taken);
  const content = { field: fieldText(name, words), hook: HOOK, "row type": ROW_TYPE }[kind];
  return { path: `${folder}/${name}.py`, content };
}
