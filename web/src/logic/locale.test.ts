import { describe, expect, it } from "vitest";
import { usableLocale } from "./locale";

describe("the language dates are written in", () => {
  it.each([
    [["de-AT", "en"], "de-AT"],
    [["en-US@posix"], "en"],
    [["en-US@posix", "fr"], "fr"],
    [["C", ""], "en"],
    [[undefined], "en"],
    [[], "en"],
  ])("of %j is %s", (tags, locale) => {
    const found = usableLocale(tags);
    expect(found).toBe(locale);
    expect(() => new Intl.DateTimeFormat(found)).not.toThrow();
  });
});
