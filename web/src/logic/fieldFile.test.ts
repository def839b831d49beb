import { describe, expect, it } from "vitest";
import { addAlias, fieldOf, isSameHeader, removeAlias } from "./fieldFile";

describe("adding a name to a field", () => {
  it.each([
    [
      "behind the others",
      'field = Field("email", aliases=["E-Mail"], pattern=r"[^@\\s]+@[^@\\s]+")\n',
      'field = Field("email", aliases=["E-Mail", "Mail"], pattern=r"[^@\\s]+@[^@\\s]+")\n',
    ],
    ["in a list of its own", 'field = Field("email")\n', 'field = Field("email", aliases=["Mail"])\n'],
    ["in an empty list", 'field = Field("email", aliases=[])\n', 'field = Field("email", aliases=["Mail"])\n'],
    ["in a tuple", "field = Field('email', aliases=('E',))\n", "field = Field('email', aliases=('E', \"Mail\",))\n"],
    ["before a name", 'field = Field("a", aliases=[*MORE])\n', 'field = Field("a", aliases=["Mail", *MORE])\n'],
    [
      "before a comment",
      'field = Field("a", aliases=[\n    "b",  # old, "c"\n])\n',
      'field = Field("a", aliases=[\n    "b", "Mail",  # old, "c"\n])\n',
    ],
    [
      "as the call is laid out",
      'field = Field(\n    "email",\n    label="Email",\n)\n\n\ndef transform(value):\n    return value\n',
      'field = Field(\n    "email",\n    label="Email",\n    aliases=["Mail"],\n)\n\n\ndef transform(value):\n    return value\n',
    ],
    [
      "past brackets and quotes in text",
      '# field = Field("x")\nfield = Field("email", label="E)mail [aliases=[", aliases=["a ]"])  # Field(\n',
      '# field = Field("x")\nfield = Field("email", label="E)mail [aliases=[", aliases=["a ]", "Mail"])  # Field(\n',
    ],
  ])("puts it %s", (_, before, after) => {
    expect(addAlias(before, "Mail")).toBe(after);
  });

  it("does nothing twice, nor to a name or label", () => {
    const before = 'field = Field("email", label="Post", aliases=["Mail"])\n';
    for (const header of ["Mail", "email", "Post"]) expect(addAlias(before, header)).toBe(before);
  });

  it("writes quotes and backslashes so that Python reads them", () => {
    const after = addAlias('field = Field("a")\n', 'He said "C:\\x"') ?? "";
    expect(after).toBe('field = Field("a", aliases=["He said \\"C:\\\\x\\""])\n');
    expect(fieldOf(after)?.aliases).toEqual(['He said "C:\\x"']);
  });

  it("leaves alone what it does not understand", () => {
    expect(addAlias("field = make_field()\n", "Mail")).toBeNull();
    expect(addAlias('field = Field("email"\n', "Mail")).toBeNull();
    expect(addAlias('field = Field("email", aliases=NAMES)\n', "Mail")).toBeNull();
  });
});

describe("removing a name from a field", () => {
  it.each([
    ["the only one", '["Mail"]', "[]"],
    ["the only one with a comma", '["Mail",]', "[]"],
    ["the first", '["Mail", "b"]', '["b"]'],
    ["the last", '["b", "Mail",]', '["b",]'],
    ["one in the middle", '["a", "Mail", "b"]', '["a", "b"]'],
    ["each spelling", '["mail", "b", "MAIL "]', '["b"]'],
    ["the last of several lines", '[\n    "b",\n    "Mail",\n]', '[\n    "b",\n]'],
  ])("takes %s", (_, before, after) => {
    expect(removeAlias(`field = Field("email", aliases=${before})\n`, "Mail")).toBe(
      `field = Field("email", aliases=${after})\n`,
    );
  });

  it("keeps name, label and what is not understood", () => {
    for (const text of ['field = Field("mail", label="Mail")\n', "field = make()\n"])
      expect(removeAlias(text, "Mail")).toBe(text);
  });
});

describe("a field", () => {
  it("is read from its file", () => {
    expect(fieldOf("field: Field = ade.Field(name='a', label=\"B\", aliases=['C', 'D\\'s', X])\n")).toEqual({
      name: "a",
      label: "B",
      aliases: ["C", "D's"],
    });
    expect(fieldOf('field = Field("a")')?.label).toBe("a");
  });

  it("has headers that are the same apart from case, spaces and punctuation", () => {
    expect(isSameHeader("E-Mail", "e mail")).toBe(true);
    expect(isSameHeader("Price €", "Price $")).toBe(false);
    expect(isSameHeader("---", "...")).toBe(false);
  });
});
