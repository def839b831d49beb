/** A field as its file writes it, and that file with one name more or less. */
import { bracketed, literalOf, textOf, withoutTexts, withText } from "./literals";

export interface WrittenField {
  name: string;
  label: string;
  aliases: string[];
}

interface Found {
  written: WrittenField;
  /** The bracket that opens the arguments, and the one that opens the list of aliases. */
  open: number;
  aliasesAt: number | null;
}

/** The field of a file; null when it is not written as a plain call of Field. */
export function fieldOf(content: string): WrittenField | null {
  return find(content)?.written ?? null;
}

function find(content: string): Found | null {
  const call = /^field\b[^=\n]*=\s*(?:\w+\.)*Field\(/m.exec(content);
  if (!call) return null;
  const open = call.index + call[0].length - 1;
  const parts = bracketed(content, open)?.parts;
  if (!parts) return null;
  const given = new Map<string, number>();
  for (const [place, { start, end }] of parts.entries()) {
    const named = /^(\w+)\s*=\s*(?!=)/.exec(content.slice(start, end));
    if (named?.[1]) given.set(named[1], start + named[0].length);
    else if (place === 0) given.set("name", start);
  }
  const text = (key: string): string | null => {
    const start = given.get(key);
    const part = parts.find((one) => start !== undefined && one.start <= start && start < one.end);
    return part ? textOf(content.slice(start, part.end)) : null;
  };
  const name = text("name");
  if (name === null) return null;
  const list = given.get("aliases");
  const isList = list !== undefined && "[(".includes(content.charAt(list));
  if (list !== undefined && !isList) return null;
  const aliases = list === undefined ? [] : (bracketed(content, list)?.parts ?? []);
  return {
    written: {
      name,
      label: text("label") ?? name,
      aliases: aliases.flatMap(({ start, end }) => textOf(content.slice(start, end)) ?? []),
    },
    open,
    aliasesAt: list ?? null,
  };
}

/** Whether two headers differ in case, spaces or punctuation only: then no two fields may have them. */
export function isSameHeader(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

/** A header without case, spaces and punctuation. */
export function comparable(header: string): string {
  const letters = header
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{S}%&@*§†‰]+/gu, "");
  return letters || header.trim();
}

/** The file with the header among the field's names; null when the file is not understood. */
export function addAlias(content: string, header: string): string | null {
  const found = find(content);
  if (!found) return null;
  const { name, label, aliases } = found.written;
  if ([name, label, ...aliases].some((known) => known.trim() === header.trim())) return content;
  if (found.aliasesAt !== null) return withText(content, found.aliasesAt, header);
  const call = bracketed(content, found.open);
  const last = call?.parts.at(-1);
  if (!call || !last) return null;
  const isLaidOut = content.slice(found.open, call.close).includes("\n");
  const [lead, tail] = isLaidOut ? ["\n    ", last.after === last.end ? "," : ""] : [" ", ""];
  return `${content.slice(0, last.end)},${lead}aliases=[${literalOf(header)}]${tail}${content.slice(last.end)}`;
}

/** The file without the header among the field's aliases; its name and label stay. */
export function removeAlias(content: string, header: string): string {
  const place = find(content)?.aliasesAt;
  return place === null || place === undefined
    ? content
    : withoutTexts(content, place, (alias) => isSameHeader(alias, header));
}
