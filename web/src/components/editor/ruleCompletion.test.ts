import { CompletionContext } from "@codemirror/autocomplete";
import { python } from "@codemirror/lang-python";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { ruleCompletion } from "./ruleCompletion";

/** Complete a text at its |; return the labels that are offered. */
function offered(path: string, text: string, isAsked = false): string[] {
  const pos = text.indexOf("|");
  const state = EditorState.create({ doc: text.replace("|", ""), extensions: [python()] });
  const found = ruleCompletion(path, ["email", "member_id"])(new CompletionContext(state, pos, isAsked));
  return (found?.options ?? []).map((one) => one.label);
}
const field = (text: string, isAsked = false) => offered("columns/email.py", text, isAsked);
const hook = (text: string, isAsked = false) => offered("hooks/report.py", text, isAsked);

describe("completion of Field", () => {
  it("offers the arguments it does not have yet", () => {
    expect(field('field = Field("email", label="E", al|)')).toContain("aliases");
    expect(field('field = Field("email", label="E", al|)')).not.toContain("label");
    expect(field('field = Field(\n    "email",\n    |\n)', true)).toContain("required");
  });

  it("offers them nowhere else", () => {
    expect(field('field = Field("email", aliases=["a", |])', true)).toEqual([]);
    expect(field('other = Other("email", al|)')).toEqual([]);
    expect(offered("settings.toml", "al|", true)).toEqual([]);
    expect(field("# al|")).toEqual([]);
  });

  it("offers the values of arguments that have a list of them", () => {
    expect(field('field = Field("joined_on", type="da|")')).toEqual(expect.arrayContaining(["date", "datetime"]));
    expect(field('field = Field("joined_on", label="da|")')).toEqual([]);
  });
});

describe("completion of functions", () => {
  it("offers those of the folder, and none inside a function", () => {
    expect(hook("on|")).toContain("on_table_end");
    expect(hook("def on|")).toContain("on_table_end");
    expect(hook("def on_table_end(summary):\n    on|")).toEqual([]);
    expect(field("de|")).toEqual(expect.arrayContaining(["field", "detect_*", "transform"]));
    expect(field("de|")).not.toContain("on_table_end");
    expect(offered("row_types/total.py", "la|")).toContain('label = "total"');
  });

  it("offers the parameters that a function may ask for", () => {
    expect(hook("def on_table_end(summary, |):\n    return None", true)).toEqual(["table", "context"]);
    expect(field("def detect_words(|):\n    return None")).toContain("column");
    expect(field("def _mine(|):\n    return None", true)).toEqual([]);
  });

  it("offers what the things it receives have", () => {
    expect(field("def detect_words(column):\n    return column.|")).toContain("header");
    expect(field("def detect_words(column):\n    return column.he|")).toContain("header");
    expect(field("def detect_words(value):\n    return column.|")).toEqual([]);
    expect(offered("row_types/total.py", "def detect_it(row):\n    return row.|")).toContain("first");
    expect(offered("row_types/total.py", "def detect_it(row, sheet):\n    return sheet.|")).toEqual([]);
  });

  it("offers the names of fields in rows", () => {
    expect(field('def validate(row):\n    return row["|"]')).toEqual(["email", "member_id"]);
    expect(field('def validate(source):\n    return source.get("em|")')).toEqual(["email", "member_id"]);
  });
});
