/** What a new file of a configuration is called and starts with. */
import { fieldName, fieldText, unusedName } from "./fieldNames";
import words from "./ruleWords.json";

export type FileKind = "field" | "hook" | "row type" | "other";

/** The moments at which a hook can be called. */
export const HOOKS = words.functions.hooks;
export const USUAL_HOOK = "on_table_end";

export interface NewFile {
  path: string;
  content: string;
}

/** What a hook starts with. */
function hookText(name: string): string {
  const hook = HOOKS.find((one) => one.name === name);
  if (!hook) return "";
  const told = hook.meaning.charAt(0).toUpperCase() + hook.meaning.slice(1);
  return `def ${hook.name}(${hook.given.join(", ")}):\n    """${told}."""\n    ${hook.body}\n`;
}

const ROW_TYPE = `label = "total"  # title, header, group, data, total, note or blank


def detect_by_first_cell(row):
    """Return how much the row looks like one: above 0 for it, below 0 against it."""
    return 1.0 if row.first.lower().startswith("grand total") else 0.0
`;

/** Return the file for words people write; `paths` are those there are, and a hook is called at this moment. */
export function newFile(kind: FileKind, written: string, paths: string[], hook = USUAL_HOOK): NewFile {
  if (kind === "other") return { path: written.trim(), content: "" };
  const folder = { field: "columns", hook: "hooks", "row type": "row_types" }[kind];
  const taken = paths.flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1, -3)] : []));
  const name = unusedName(fieldName(written), taken);
  const content = { field: fieldText(name, written), hook: hookText(hook), "row type": ROW_TYPE }[kind];
  return { path: `${folder}/${name}.py`, content };
}
