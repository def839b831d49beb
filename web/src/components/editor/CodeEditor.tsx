import { setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef, type RefObject } from "react";
import type { ConfigurationProblem } from "~/api/types";
import { writing } from "./setup";

interface Props {
  path: string;
  /** What the editor starts with; a new file is a new editor (give it a key). */
  initial: string;
  isReadOnly: boolean;
  /** The names of the fields that the configuration has. */
  fields: readonly string[];
  problems: ConfigurationProblem[];
  line: number | null;
  onChange: (content: string) => void;
  onRun: () => void;
}

export default function CodeEditor({ path, initial, isReadOnly, fields, problems, line, onChange, onRun }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const handlers = useRef({ onChange, onRun });
  useEffect(() => {
    handlers.current = { onChange, onRun };
  });
  useEffect(() => {
    if (!frame.current) return;
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: initial,
        extensions: extensionsOf(path, isReadOnly, fields, handlers),
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
    // What was typed lives in the editor: only another file makes another one.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [path, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, problems)));
  }, [problems, path]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !line || line > editor.state.doc.lines) return;
    const at = editor.state.doc.line(line).from;
    editor.dispatch({ selection: EditorSelection.cursor(at), effects: EditorView.scrollIntoView(at, { y: "center" }) });
    editor.focus();
  }, [line, path]);
  return <div ref={frame} style={{ height: "100%", overflow: "auto" }} />;
}

function diagnosticsOf(editor: EditorView, problems: ConfigurationProblem[]): Diagnostic[] {
  return problems.map((problem) => {
    const place = editor.state.doc.line(Math.min(Math.max(1, problem.line), editor.state.doc.lines));
    return {
      from: place.from,
      to: place.to,
      severity: problem.severity,
      message: [problem.message, problem.suggestion].filter(Boolean).join(". "),
    };
  });
}

type Handlers = RefObject<Pick<Props, "onChange" | "onRun">>;

/** What an editor of a file can do in addition to writing: start a test run, and report the text. */
function extensionsOf(path: string, isReadOnly: boolean, fields: readonly string[], handlers: Handlers): Extension[] {
  return [
    keymap.of([
      {
        key: "Mod-Enter",
        run: () => {
          handlers.current.onRun();
          return true;
        },
      },
    ]),
    writing(path, fields),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ "aria-label": `Content of ${path}`, tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) handlers.current.onChange(update.state.doc.toString());
    }),
  ];
}
