/** settings.toml with a header more or less among those that are left out. */
import { isSameHeader } from "./fieldFile";
import { literalOf, withoutTexts, withText } from "./literals";

export const SETTINGS_FILE = "settings.toml";

/** The settings with the header left out. */
export function addIgnored(content: string, header: string): string {
  const place = ignoreAt(content);
  if (place !== null) {
    if (withoutIgnored(content, header) !== content) return content;
    return withText(content, place, header) ?? content;
  }
  const line = `ignore = [${literalOf(header)}]\n`;
  const table = mappingTable(content);
  if (table) {
    const head = content.slice(0, table.start);
    return `${head}${head.endsWith("\n") ? "" : "\n"}${line}${content.slice(table.start)}`;
  }
  const gap = content === "" || content.endsWith("\n\n") ? "" : content.endsWith("\n") ? "\n" : "\n\n";
  return `${content}${gap}[mapping]\n${line}`;
}

/** The settings in which the header is not left out. */
export function withoutIgnored(content: string, header: string): string {
  const place = ignoreAt(content);
  return place === null ? content : withoutTexts(content, place, (ignored) => isSameHeader(ignored, header));
}

/** Where the keys of [mapping] begin and end. */
function mappingTable(content: string): { start: number; end: number } | null {
  const head = /^[ \t]*\[[ \t]*mapping[ \t]*\][^\n]*(?:\n|$)/m.exec(content);
  if (!head) return null;
  const start = head.index + head[0].length;
  const next = /^[ \t]*\[/m.exec(content.slice(start));
  return { start, end: next ? start + next.index : content.length };
}

function ignoreAt(content: string): number | null {
  const table = mappingTable(content);
  const key = table && /^[ \t]*ignore[ \t]*=[ \t]*\[/m.exec(content.slice(table.start, table.end));
  return key ? table.start + key.index + key[0].length - 1 : null;
}
