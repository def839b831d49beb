import { describe, expect, it } from "vitest";
import { correction, fieldName, fieldText, unusedName, type DraftText } from "./correct";

const file = (path: string, text: string): DraftText => ({ path, text, etag: `"${path}"` });
const EMAIL = file("columns/email.py", 'field = Field("email", label="Email", aliases=["E-Mail", "Courriel"])\n');
const JOINED = file("columns/joined_on.py", 'field = Field("joined_on", label="Joined on")\n');
const SETTINGS = file("settings.toml", '[mapping]\nthreshold = 0.5\n\n[output]\norder = ["email"]\n');
const after = (files: DraftText[], header: string, meaning: Parameters<typeof correction>[2]) =>
  Object.fromEntries((correction(files, header, meaning) ?? []).map((change) => [change.path, change.after]));

describe("a correction", () => {
  it("moves the header from the field it was mapped to", () => {
    expect(after([EMAIL, JOINED, SETTINGS], "E-Mail", { field: "joined_on" })).toEqual({
      "columns/joined_on.py": 'field = Field("joined_on", label="Joined on", aliases=["E-Mail"])\n',
      "columns/email.py": 'field = Field("email", label="Email", aliases=["Courriel"])\n',
    });
  });

  it("moves it from whatever field an earlier correction gave it to", () => {
    const joined = file(JOINED.path, 'field = Field("joined_on", aliases=["e mail"])\n');
    const member = file("columns/member.py", 'field = Field("member")\n');
    expect(after([joined, member], "E-Mail", { field: "member" })).toEqual({
      "columns/member.py": 'field = Field("member", aliases=["E-Mail"])\n',
      "columns/joined_on.py": 'field = Field("joined_on", aliases=[])\n',
    });
  });

  it("changes nothing when the draft says so already", () => {
    expect(correction([EMAIL, JOINED, SETTINGS], "E-Mail", { field: "email" })).toEqual([]);
    const city = file("columns/city.py", fieldText("city", "City", "Town"));
    expect(correction([EMAIL, city], "Town", { label: "City" })).toEqual([]);
  });

  it("can leave a column out, and take that back", () => {
    const ignored = after([EMAIL, SETTINGS], "Courriel", "ignore");
    expect(ignored).toEqual({
      "columns/email.py": 'field = Field("email", label="Email", aliases=["E-Mail"])\n',
      "settings.toml": '[mapping]\nignore = ["Courriel"]\nthreshold = 0.5\n\n[output]\norder = ["email"]\n',
    });
    const settings = file("settings.toml", ignored["settings.toml"] ?? "");
    expect(after([JOINED, settings], "courriel", { field: "joined_on" })["settings.toml"]).toContain("ignore = []\n");
    expect(correction([settings], "Courriel", "ignore")).toEqual([]);
  });

  it("makes a file for a new field, under a name that is free", () => {
    const first = file("columns/城市.py", fieldText("城市", "城市"));
    expect(correction([EMAIL], "城市", { label: "城市" })).toEqual([
      { path: "columns/城市.py", before: null, after: fieldText("城市", "城市"), etag: null },
    ]);
    expect(Object.keys(after([first], "Town", { label: "城市!" }))).toEqual(["columns/城市_2.py"]);
  });

  it("is given up when the file of the field is not understood", () => {
    const odd = file("columns/joined_on.py", "field = make_field()\n");
    expect(correction([EMAIL, odd], "E-Mail", { field: "joined_on" })).toBeNull();
  });

  it("starts with the file of the right field", () => {
    expect(correction([EMAIL, JOINED], "E-Mail", { field: "joined_on" })?.[0]?.path).toBe(JOINED.path);
  });
});

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

  it("has the header among its names", () => {
    expect(fieldText("joined_on", "Joined on", "Joined")).toBe(
      'from ade_engine import Field\n\nfield = Field("joined_on", label="Joined on", aliases=["Joined"])\n',
    );
  });
});
