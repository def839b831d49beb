import { describe, expect, it } from "vitest";
import { DETECTED, encodingChoices } from "./encodings";

describe("encodingChoices", () => {
  it("says what was detected", () => {
    expect(encodingChoices(null, "cp1254")[0]).toEqual({ value: DETECTED, label: "Encoding detected: cp1254" });
  });

  it("offers detection again once an encoding was chosen", () => {
    expect(encodingChoices("cp1250", "cp1250")[0]).toEqual({ value: DETECTED, label: "Detect the encoding" });
  });

  it("offers what was chosen even if it is rare, and each encoding once", () => {
    const values = encodingChoices("cp775", "cp775").map((one) => one.value);
    expect(values).toContain("cp775");
    expect(new Set(encodingChoices("cp1250", null).map((one) => one.value)).size).toBe(
      encodingChoices("cp1250", null).length,
    );
  });
});
