/** Reads lists and calls in the text of a rule file (Python) or settings (TOML): where their parts are, and what texts say. */

export interface Part {
  /** The first and the first-after character of the part, without spaces and comments around it. */
  start: number;
  end: number;
  /** The first character after the comma behind it; its end where there is none. */
  after: number;
}

export interface Bracketed {
  parts: Part[];
  /** The bracket that closes it. */
  close: number;
}

const PAIRS: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** The parts between the bracket at `open` and the one that closes it; null when nothing closes it. */
export function bracketed(content: string, open: number): Bracketed | null {
  const stack = [PAIRS[content.charAt(open)] ?? ""];
  const parts: Part[] = [];
  let part = null as Part | null;
  for (let index = open + 1; index < content.length; index++) {
    const letter = content.charAt(index);
    if (letter === "#") {
      const end = content.indexOf("\n", index);
      if (end < 0) return null;
      index = end;
      continue;
    }
    if (letter === stack.at(-1)) stack.pop();
    if (stack.length === 0) return { parts: part ? [...parts, part] : parts, close: index };
    if (letter === "," && stack.length === 1) {
      if (part) parts.push({ ...part, after: index + 1 });
      part = null;
      continue;
    }
    if (/\s/.test(letter)) continue;
    const start = index;
    if (PAIRS[letter]) stack.push(PAIRS[letter]);
    else if (letter === '"' || letter === "'") index = endOfText(content, index) - 1;
    part = { start: part?.start ?? start, end: index + 1, after: index + 1 };
  }
  return null;
}

/** The first character after the text that begins at `start`. */
function endOfText(content: string, start: number): number {
  const quote = content.charAt(start);
  const mark = content.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let index = start + mark.length; index < content.length; index++) {
    if (content.charAt(index) === "\\") index++;
    else if (content.startsWith(mark, index)) return index + mark.length;
  }
  return content.length;
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r" };

/** What a literal such as "E-Mail" says; null for anything that is no plain text. */
export function textOf(literal: string): string | null {
  const found = /^([rRuU]?)(["'])([\s\S]*)\2$/.exec(literal);
  if (!found) return null;
  const [, prefix = "", quote = "", inside = ""] = found;
  if (endOfText(literal, prefix.length) !== literal.length || inside.startsWith(quote)) return null;
  if (/r/i.test(prefix)) return inside;
  return inside.replace(/\\(u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[\s\S])/g, (_, escaped: string, long, short) =>
    long || short
      ? String.fromCharCode(parseInt(String(long ?? short), 16))
      : (ESCAPES[escaped] ?? escaped.replace("\n", "")),
  );
}

/** A text as Python and TOML write it. */
export function literalOf(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  return `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The list with one more text, behind the others. */
export function withText(content: string, open: number, text: string): string | null {
  const list = bracketed(content, open);
  if (!list) return null;
  const last = list.parts.at(-1);
  if (last && textOf(content.slice(last.start, last.end)) !== null)
    return `${content.slice(0, last.end)}, ${literalOf(text)}${content.slice(last.end)}`;
  // Behind names and unpacked lists nothing can follow safely; before them it can.
  const comma = last ? ", " : content.charAt(open) === "(" ? "," : "";
  return `${content.slice(0, open + 1)}${literalOf(text)}${comma}${content.slice(open + 1)}`;
}

/** The list without the texts that `isMeant` names. */
export function withoutTexts(content: string, open: number, isMeant: (text: string) => boolean): string {
  const list = bracketed(content, open);
  const place =
    list?.parts.findIndex(({ start, end }) => {
      const text = textOf(content.slice(start, end));
      return text !== null && isMeant(text);
    }) ?? -1;
  const part = list?.parts[place];
  if (!list || !part) return content;
  const [before, next] = [list.parts[place - 1], list.parts[place + 1]];
  const [from, to] = next ? [part.start, next.start] : before ? [before.end, part.end] : [part.start, part.after];
  return withoutTexts(content.slice(0, from) + content.slice(to), open, isMeant);
}
