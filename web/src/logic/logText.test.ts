import { describe, expect, it } from "vitest";
import { LogSearch, LogText } from "./logText";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const linesOf = (log: LogText): string[] => Array.from({ length: log.lineCount }, (_, index) => log.line(index));

describe("LogText", () => {
  it("has the lines of the text, however it was cut", () => {
    const text = "first\n\nthé third\nlast";
    for (let cut = 0; cut <= bytes(text).length; cut += 1) {
      const log = new LogText();
      log.append(bytes(text).slice(0, cut));
      log.append(bytes(text).slice(cut));
      expect(linesOf(log)).toEqual(["first", "", "thé third", "last"]);
    }
  });

  it("begins no line behind the last newline", () => {
    const log = new LogText();
    log.append(bytes("one\n"));
    expect(linesOf(log)).toEqual(["one"]);
    log.append(bytes("two\n"));
    expect(linesOf(log)).toEqual(["one", "two"]);
  });

  it("grows beyond what it first had room for", () => {
    const log = new LogText();
    const piece = bytes("0123456789\n".repeat(10_000));
    for (let count = 0; count < 5; count += 1) log.append(piece);
    expect(log.lineCount).toBe(50_000);
    expect(log.line(49_999)).toBe("0123456789");
    expect(log.size).toBe(5 * piece.length);
  });
});

describe("LogSearch", () => {
  it("finds lines a part at a time", () => {
    const log = new LogText();
    log.append(bytes("a\nb\n".repeat(2000)));
    const search = new LogSearch(log, (line) => line === "b");
    while (!search.lookOn(true, 0));
    expect(search.found.length).toBe(2000);
    expect(search.found[0]).toBe(1);
  });

  it("leaves a line that may still grow", () => {
    const log = new LogText();
    log.append(bytes("a\nb"));
    const search = new LogSearch(log, () => true);
    search.lookOn(false, 10);
    expect(search.found).toEqual([0]);
    log.append(bytes("c\n"));
    search.lookOn(true, 10);
    expect(search.found).toEqual([0, 1]);
  });
});
