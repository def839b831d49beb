/** Numbers in words. */

const grouped = new Intl.NumberFormat("en");

export function count(number: number): string {
  return grouped.format(number);
}

/** "1 issue", "1,204 issues". */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const units = ["KB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log2(size) / 10));
  const shown = size / 1024 ** power;
  return `${shown < 10 ? shown.toFixed(1) : Math.round(shown)} ${units[power - 1]}`;
}

/** "+0.53", "−0.60": with a real minus sign, so that columns of numbers align. */
export function signed(number: number): string {
  return `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
