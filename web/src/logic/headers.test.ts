import { expect, it } from "vitest";
import { comparable } from "./headers";

it("takes headers for the same that differ in case, spaces and punctuation alone", () => {
  expect(comparable("E-Mail")).toBe(comparable("e mail"));
  expect(comparable("Price €")).not.toBe(comparable("Price $"));
  expect(comparable("---")).not.toBe(comparable("..."));
});
