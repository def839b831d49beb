/** What the editor completes in rules: arguments of `Field(…)`, functions and hooks, and what they receive. */
import {
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import words from "~/logic/ruleWords.json";

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;
type Folder = keyof typeof words.functions;

interface Place {
  context: CompletionContext;
  folder: Folder;
  node: SyntaxNode;
}

const TYPED = /[\p{L}\p{N}_]*$/u;
const PARSING_MS = 100;
const OUTERMOST = new Set(["Script", "ExpressionStatement", "VariableName", "⚠"]);

/** Return what completes a file of a configuration, which has these fields; nothing for files that are no rules. */
export function ruleCompletion(path: string, fields: readonly string[]) {
  const [folder] = path.split("/");
  return (context: CompletionContext): CompletionResult | null => {
    if (!isFolder(folder) || !path.endsWith(".py")) return null;
    const tree = ensureSyntaxTree(context.state, context.pos, PARSING_MS) ?? syntaxTree(context.state);
    const place = { context, folder, node: tree.resolveInner(context.pos, -1) };
    if (place.node.name === "Comment") return null;
    if (place.node.name === "String") return valuesOf(place) ?? fieldNames(place, fields);
    return argumentsOf(place) ?? parametersOf(place) ?? attributesOf(place) ?? firstWords(place);
  };
}

const isFolder = (name: string | undefined): name is Folder => name !== undefined && name in words.functions;

/** The texts that some arguments of Field can have: type="…". */
function valuesOf({ context, node }: Place): CompletionResult | null {
  const name = textOf(context, node.prevSibling?.prevSibling);
  const values = isField(context, node.parent) && words.arguments.find((one) => one.name === name)?.values;
  if (!values) return null;
  return { from: node.from + 1, options: values.map((label) => ({ label, type: "constant" })) };
}

/** Names of fields: row["…"], source.get("…"). */
function fieldNames({ context, node }: Place, fields: readonly string[]): CompletionResult | null {
  const before = context.state.sliceDoc(Math.max(0, node.from - 20), node.from);
  if (!/\b(row|source)(\.get\(|\[)$/.test(before)) return null;
  return { from: node.from + 1, options: fields.map((label) => ({ label, type: "property", detail: "field" })) };
}

/** Arguments of Field that it does not have yet. */
function argumentsOf({ context, node }: Place): CompletionResult | null {
  const list = within(node, "ArgList");
  if (!isField(context, list) || !/[(,]\s*$/.test(textBefore(context))) return null;
  const given = namesIn(context, list);
  return result(
    context,
    words.arguments
      .filter(({ name }) => !given.has(name))
      .map(({ name, value, meaning }) => starting(name, `${name}=${value}`, { info: meaning, type: "property" })),
  );
}

/** Parameters that a function of the configuration may ask for. */
function parametersOf({ context, folder, node }: Place): CompletionResult | null {
  const list = within(node, "ParamList");
  if (!list) return null;
  const name = textOf(context, list.parent?.getChild("VariableName"));
  const parameters = words.functions[folder].find((one) => isNamed(one.name, name))?.parameters ?? [];
  const given = namesIn(context, list);
  const meanings: Partial<Record<string, string>> = words.parameters;
  return result(
    context,
    parameters
      .filter((label) => !given.has(label))
      .map((label) => ({ label, type: "variable", ...(meanings[label] && { info: meanings[label] }) })),
  );
}

/** Attributes of what the function receives: column.header. */
function attributesOf({ context, folder, node }: Place): CompletionResult | null {
  const name = /(?<![\w.])(\w+)\.$/.exec(textBefore(context))?.[1];
  if (name === undefined) return null;
  const objects: Partial<Record<string, { name: string; type: string; meaning: string }[]>> = words.objects;
  const attributes = objects[folder === "row_types" && name === "row" ? "row of a sheet" : name];
  const isGiven = parametersAround(context, node).has(name) && !(folder === "row_types" && name === "sheet");
  const options = (isGiven ? (attributes ?? []) : []).map((one) => ({
    label: one.name.replace(/\(.*/, ""),
    type: one.name.includes("(") ? "method" : "property",
    detail: one.type,
    info: one.meaning,
  }));
  return result(context, options);
}

/** What begins a line of the file itself: its field or label, and the functions of its folder. */
function firstWords({ context, folder, node }: Place): CompletionResult | null {
  const line = textBefore(context).replace(/^[^]*\n/, "");
  const isDefinition = line === "def ";
  if (!isDefinition && (line !== "" || !isOutermost(node))) return null;
  const functions = words.functions[folder].map(({ name, given, parameters, meaning, returns, body }) =>
    starting(name, `${isDefinition ? "" : "def "}${name.replace("*", "#")}(${given.join(", ")}):\n    ${body}`, {
      type: "function",
      detail: parameters.join(", "),
      info: `${capital(meaning)}. Returns ${returns}.`,
    }),
  );
  return result(context, isDefinition ? functions : [...firstLines(folder), ...functions]);
}

function firstLines(folder: Folder): Completion[] {
  const field = 'from ade_engine import Field\n\nfield = Field("#", label="#")\n';
  if (folder === "columns") return [starting("field", field, { info: "The field of this file", type: "variable" })];
  const labels = folder === "row_types" ? words.labels : [];
  return labels.map((label) => ({ label: `label = "${label}"`, info: "What its rows are", type: "variable" }));
}

/** A completion with places to fill in, marked by #. */
function starting(label: string, text: string, facts: Omit<Completion, "label">): Completion {
  const template = text.replaceAll(/[{}]/g, "\\$&").replaceAll("#", "${}");
  return snippetCompletion(template, { label, boost: 50, ...facts });
}

function result(context: CompletionContext, options: Completion[]): CompletionResult | null {
  const from = context.matchBefore(TYPED)?.from ?? context.pos;
  const isAsked = context.explicit || from < context.pos || /[.(]$/.test(textBefore(context));
  return options.length > 0 && isAsked ? { from, options, validFor: TYPED } : null;
}

/** The text before the word at the cursor. */
function textBefore(context: CompletionContext): string {
  return context.state.sliceDoc(Math.max(0, context.pos - 400), context.pos).replace(TYPED, "");
}

const textOf = (context: CompletionContext, node: SyntaxNode | null | undefined): string =>
  node ? context.state.sliceDoc(node.from, node.to) : "";

/** The list that a node is directly in, or that it is. */
function within(node: SyntaxNode, name: string): SyntaxNode | null {
  const list = ["VariableName", "(", ","].includes(node.name) ? node.parent : node;
  return list?.name === name ? list : null;
}

/** Whether these are the arguments of a call of Field. */
const isField = (context: CompletionContext, list: SyntaxNode | null): list is SyntaxNode =>
  list?.name === "ArgList" && textOf(context, list.prevSibling) === "Field";

/** The names in a list of arguments or parameters, without the one that is being typed. */
function namesIn(context: CompletionContext, list: SyntaxNode): Set<string> {
  const names = list.getChildren("VariableName").filter((node) => node.to !== context.pos);
  return new Set(names.map((node) => textOf(context, node)));
}

/** The parameters of the functions that a node is in. */
function parametersAround(context: CompletionContext, node: SyntaxNode): Set<string> {
  const found = new Set<string>();
  for (let at: SyntaxNode | null = node; at; at = at.parent) {
    const list = at.getChild("ParamList");
    if (list) for (const name of namesIn(context, list)) found.add(name);
  }
  return found;
}

function isOutermost(node: SyntaxNode): boolean {
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (!OUTERMOST.has(at.name)) return false;
  return true;
}

const isNamed = (known: string, name: string): boolean =>
  known.endsWith("*") ? name.startsWith(known.slice(0, -1)) && name.length >= known.length : known === name;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
