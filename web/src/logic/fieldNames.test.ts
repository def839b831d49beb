import { describe, expect, it } from "vitest";
import { fieldName, fieldText, unusedName } from "./fieldNames";

describe("a new field", () => {
  it.each([
    ["Member No.", "member_no"],
    ["Prénom", "prenom"],
    ["2nd address", "field_2nd_address"],
    ["???", "field"],
    ["城市", "城市"],
    ["Имя (1)", "имя_1"],
    ["_x_", "x"],
  ])("%s is called %s", (words, name) => {
    expect(fieldName(words)).toBe(name);
  });

  it("gets a number when its name is taken", () => {
    expect(unusedName("field", ["field", "field_2"])).toBe("field_3");
    expect(unusedName("city", ["field"])).toBe("city");
  });

  it("has its label written as Python writes it", () => {
    expect(fieldText("joined_on", 'Joined "on"')).toBe(
      'from ade_engine import Field\n\nfield = Field("joined_on", label="Joined \\"on\\"")\n',
    );
  });
});
