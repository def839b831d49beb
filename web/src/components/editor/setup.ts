/** What every editor of the pages shares: Python, the colours of the page, and keys people know. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python, pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { ruleCompletion } from "./ruleCompletion";

const look = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--mantine-color-text)", fontSize: "13.5px", height: "100%" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.6" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--mantine-color-dimmed)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--accent-soft)" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent-text) 28%, transparent) !important",
  },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", color: "inherit" },
  ".cm-tooltip.cm-completionInfo": { maxWidth: "340px", padding: "6px 10px", fontSize: "12.5px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent-soft)", color: "inherit" },
  ".cm-completionDetail": { color: "var(--mantine-color-dimmed)", fontStyle: "normal" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "inherit" },
  // The library's own is white in the dark, and uses signs that many fonts lack.
  ".cm-collapsedLines": {
    padding: "2px 12px",
    background: "var(--sunken) !important",
    color: "var(--mantine-color-dimmed) !important",
    fontSize: "12.5px",
  },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"···" !important', margin: "0 6px" },
  // What was taken out of a line: underlined as it is side by side, for words on red are hard to read.
  "&.cm-merge-b .cm-deletedText": {
    background: "linear-gradient(var(--bad), var(--bad)) bottom / 100% 2px no-repeat",
  },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-soft)" },
  ".cm-content": { caretColor: "var(--mantine-color-text)" },
  "&.cm-focused": { outline: "none" },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent-text)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.comment, color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], color: "var(--busy)" },
]);

// What scrolls can be scrolled by keyboard too.
const SCROLLED = EditorView.contentAttributes.of({ tabindex: "0" });

/** Colours and language of a file by its name. */
function languageOf(path: string): Extension {
  return path.endsWith(".py") ? [python(), indentUnit.of("    ")] : [];
}

export function reading(path: string): Extension {
  return [look, lineNumbers(), syntaxHighlighting(colours), languageOf(path), EditorView.editable.of(false), SCROLLED];
}

/** Everything an editor of a file needs; `fields` are the names it completes in rows. */
export function writing(path: string, fields: readonly string[]): Extension {
  return [
    look,
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightSelectionMatches(),
    lintGutter(),
    EditorView.lineWrapping,
    syntaxHighlighting(colours),
    languageOf(path),
    pythonLanguage.data.of({ autocomplete: ruleCompletion(path, fields) }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ];
}
