/** "This column is wrong": which files of the draft have to change so that a header means something else. */
import { addAlias, fieldOf, removeAlias } from "./fieldFile";
import { addIgnored, SETTINGS_FILE, withoutIgnored } from "./ignored";
import { literalOf } from "./literals";

export interface DraftText {
  path: string;
  text: string;
  etag: string | null;
}

/** What the column is: a field there is, a field with a new label, or no field. */
export type Meaning = { field: string } | { label: string } | "ignore";

export interface FileChange {
  path: string;
  /** The text before and after; null where there is no file. */
  before: string | null;
  after: string;
  etag: string | null;
}

/** Return the changes to the draft's files, the most telling first; null when a rule file is not understood. */
export function correction(files: DraftText[], header: string, meaning: Meaning): FileChange[] | null {
  const rules = files.filter((file) => file.path.startsWith("columns/"));
  const target = meaning === "ignore" ? null : targetOf(rules, header, meaning);
  if (target === undefined) return null;
  const others = rules.filter((file) => file.path !== target?.path);
  const settings = files.find((file) => file.path === SETTINGS_FILE);
  const changed = [
    ...(target ? [target] : []),
    ...others.map((file) => ({ ...unchanged(file), after: removeAlias(file.text, header) })),
    settingsWith(settings, header, meaning === "ignore"),
  ];
  return changed.filter((change) => change.after !== (change.before ?? ""));
}

const unchanged = ({ path, text, etag }: DraftText): FileChange => ({ path, before: text, after: text, etag });

/** The file of the right field with the header among its names; undefined when it cannot be written. */
function targetOf(
  rules: DraftText[],
  header: string,
  meaning: { field: string } | { label: string },
): FileChange | undefined {
  const isMeant = (file: DraftText): boolean => {
    const field = fieldOf(file.text);
    return "field" in meaning ? field?.name === meaning.field : field?.label === meaning.label.trim();
  };
  const found = rules.find(isMeant);
  if (!found) return "label" in meaning ? newField(rules, meaning.label, header) : undefined;
  const after = addAlias(found.text, header);
  return after === null ? undefined : { ...unchanged(found), after };
}

function newField(rules: DraftText[], label: string, header: string): FileChange {
  const taken = rules.flatMap((file) => [stemOf(file.path), fieldOf(file.text)?.name ?? ""]);
  const name = unusedName(fieldName(label), taken);
  return { path: `columns/${name}.py`, before: null, after: fieldText(name, label, header), etag: null };
}

const stemOf = (path: string): string => path.replace(/^.*\//, "").replace(/\.py$/, "");

/** The text of a file for a new field. */
export function fieldText(name: string, label: string, header = ""): string {
  const aliases = header && header.trim() !== label.trim() ? `, aliases=[${literalOf(header)}]` : "";
  return `from ade_engine import Field\n\nfield = Field("${name}", label=${literalOf(label)}${aliases})\n`;
}

const LONGEST = 60;

/** A field's name from words people write, in their script: "Member No." becomes member_no, 城市 stays 城市. */
export function fieldName(words: string): string {
  const letters = [...words.normalize("NFKC")].map(withoutAccent).join("").toLowerCase().normalize("NFKC");
  const name = letters.replace(/[^\p{XID_Continue}]+|_+/gu, "_").replace(/_+/g, "_");
  const short = name.replace(/^_+/, "").slice(0, LONGEST).replace(/_+$/, "");
  if (!short) return "field";
  return /^\p{XID_Start}/u.test(short) ? short : `field_${short}`;
}

/** A Latin letter without its accent; in other scripts, marks make other words. */
function withoutAccent(letter: string): string {
  const plain = letter.normalize("NFKD").charAt(0);
  return /[a-zA-Z]/.test(plain) ? plain : letter;
}

/** The name, or the name with the first number that makes it a new one. */
export function unusedName(name: string, taken: string[]): string {
  const isTaken = (one: string): boolean => taken.includes(one);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    if (!isTaken(candidate)) return candidate;
  }
}

function settingsWith(settings: DraftText | undefined, header: string, isIgnored: boolean): FileChange {
  const before = settings?.text ?? null;
  const after = isIgnored ? addIgnored(before ?? "", header) : withoutIgnored(before ?? "", header);
  return { path: SETTINGS_FILE, before, after, etag: settings?.etag ?? null };
}
