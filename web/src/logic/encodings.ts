/** The encodings that people choose between; the API takes every other one by its name, too. */
export const DETECTED = "auto";

const COMMON: [string, string][] = [
  ["utf-8", "Unicode"],
  ["cp1252", "Western European"],
  ["cp1250", "Central European"],
  ["iso-8859-2", "Central European, ISO"],
  ["cp1254", "Turkish"],
  ["cp1257", "Baltic"],
  ["cp1251", "Cyrillic"],
  ["koi8-r", "Cyrillic, KOI8"],
  ["iso-8859-5", "Cyrillic, ISO"],
  ["cp866", "Cyrillic, DOS"],
  ["cp1253", "Greek"],
  ["cp1255", "Hebrew"],
  ["cp1256", "Arabic"],
  ["cp874", "Thai"],
  ["cp1258", "Vietnamese"],
  ["cp932", "Japanese, Shift JIS"],
  ["euc_jp", "Japanese, EUC"],
  ["cp949", "Korean"],
  ["gb18030", "Chinese, simplified"],
  ["big5", "Chinese, traditional"],
  ["cp850", "Western European, DOS"],
  ["mac-roman", "Western European, Mac"],
];

export interface Choice {
  value: string;
  label: string;
}

/** What to offer: detection first, with what it found; then what was chosen, if it is none of the common ones. */
export function encodingChoices(chosen: string | null, used: string | null): Choice[] {
  const detected = chosen === null && used ? `Encoding detected: ${used}` : "Detect the encoding";
  const rare = chosen !== null && !COMMON.some(([name]) => name === chosen) ? [{ value: chosen, label: chosen }] : [];
  const common = COMMON.map(([name, meaning]) => ({ value: name, label: `${name} · ${meaning}` }));
  return [{ value: DETECTED, label: detected }, ...rare, ...common];
}
