/** Names of fields, from words people write, and the file of a new one. */

/** The text of a file for a new field. */
export function fieldText(name: string, label: string): string {
  return `from ade_engine import Field\n\nfield = Field("${name}", label=${literalOf(label)})\n`;
}

/** A text as Python writes it. */
function literalOf(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  return `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
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
