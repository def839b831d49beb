import { describe, expect, it } from "vitest";
import { addAlias, fieldName, newField } from "./correct";

const path = "columns/email.py";

describe("adding a name to a field", () => {
  it("puts it behind the others", () => {
    const before = 'field = Field("email", aliases=["E-Mail"], pattern=r"[^@\\s]+@[^@\\s]+")\n';
    expect(addAlias(path, before, "Courriel")?.content).toBe(
      'field = Field("email", aliases=["E-Mail", "Courriel"], pattern=r"[^@\\s]+@[^@\\s]+")\n',
    );
  });

  it("adds the list where there is none", () => {
    expect(addAlias(path, 'field = Field("email")\n', "Mail")?.content).toBe(
      'field = Field("email", aliases=["Mail"])\n',
    );
  });

  it("keeps a call over several lines as it is laid out", () => {
    const before = 'field = Field(\n    "email",\n    label="Email",\n)\n\n\ndef transform(value):\n    return value\n';
    expect(addAlias(path, before, "Mail")?.content).toBe(
      'field = Field(\n    "email",\n    label="Email",\n    aliases=["Mail"],\n)\n\n\ndef transform(value):\n    return value\n',
    );
  });

  it("does nothing twice", () => {
    const before = 'field = Field("email", aliases=["Mail"])\n';
    expect(addAlias(path, before, "Mail")?.content).toBe(before);
  });

  it("is not misled by brackets and quotes in text", () => {
    const before = 'field = Field("email", label="E)mail [x]", aliases=["a ]"])  # Field(\n';
    expect(addAlias(path, before, 'He said "mail"')?.content).toBe(
      'field = Field("email", label="E)mail [x]", aliases=["a ]", "He said \\"mail\\""])  # Field(\n',
    );
  });

  it("leaves alone what it does not understand", () => {
    expect(addAlias(path, "field = make_field()\n", "Mail")).toBeNull();
    expect(addAlias(path, 'field = Field("email"\n', "Mail")).toBeNull();
  });
});

describe("a new field", () => {
  it.each([
    ["Member No.", "member_no"],
    ["Prénom", "prenom"],
    ["2nd address", "field_2nd_address"],
    ["???", "field"],
  ])("%s is called %s", (words, name) => {
    expect(fieldName(words)).toBe(name);
  });

  it("has a file of its own, and the header among its names", () => {
    expect(newField("joined_on", "Joined on", "Joined")).toEqual({
      path: "columns/joined_on.py",
      content: 'from ade_engine import Field\n\nfield = Field("joined_on", label="Joined on", aliases=["Joined"])\n',
    });
  });
});
