/** "This column is wrong": writes the header into the file of the right field, as one more of its names. */

export interface Correction {
  path: string;
  content: string;
}

/** Return the field's file with the header among its aliases; null when the file is not understood. */
export function addAlias(path: string, content: string, header: string): Correction | null {
  const call = /\bField\(/.exec(content);
  if (!call) return null;
  const end = closing(content, call.index + call[0].length - 1);
  if (end === null) return null;
  const inside = content.slice(call.index + call[0].length, end);
  const aliases = /\baliases\s*=\s*\[/.exec(inside);
  const word = pythonText(header);
  if (!aliases) {
    const isClean = /,\s*$/.test(inside) || inside.trim() === "";
    const spaced = inside.includes("\n")
      ? `${inside.trimEnd()}${isClean ? "" : ","}\n    aliases=[${word}],\n`
      : `${inside}${isClean ? "" : ", "}aliases=[${word}]`;
    return { path, content: content.slice(0, call.index + call[0].length) + spaced + content.slice(end) };
  }
  const open = call.index + call[0].length + aliases.index + aliases[0].length - 1;
  const close = closing(content, open);
  if (close === null) return null;
  const listed = content.slice(open + 1, close);
  if (listed.includes(word)) return { path, content };
  const separator = listed.trim() === "" || /,\s*$/.test(listed) ? "" : ", ";
  return {
    path,
    content: `${content.slice(0, open + 1)}${listed.trimEnd()}${separator}${word}${content.slice(close)}`,
  };
}

/** A file for a field that is new. */
export function newField(name: string, label: string, header: string): Correction {
  const aliases = header && header !== label ? `, aliases=[${pythonText(header)}]` : "";
  return {
    path: `columns/${name}.py`,
    content: `from ade_engine import Field\n\nfield = Field("${name}", label=${pythonText(label)}${aliases})\n`,
  };
}

/** A field's name from words people write: "Member No." becomes member_no. */
export function fieldName(words: string): string {
  const name = words
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return /^[a-z]/.test(name) ? name : `field_${name}`.replace(/_$/, "");
}

/** The index of the bracket that closes the one at `open`, text in quotes left out; null when there is none. */
function closing(content: string, open: number): number | null {
  const pairs: Record<string, string> = { "(": ")", "[": "]", "{": "}" };
  const stack: string[] = [];
  let quote = "";
  for (let index = open; index < content.length; index++) {
    const letter = content.charAt(index);
    if (quote) {
      if (letter === "\\") index++;
      else if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "#") index = Math.max(index, content.indexOf("\n", index));
    else if (pairs[letter]) stack.push(pairs[letter]);
    else if (letter === stack.at(-1)) {
      stack.pop();
      if (stack.length === 0) return index;
    }
  }
  return null;
}

function pythonText(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;
}
