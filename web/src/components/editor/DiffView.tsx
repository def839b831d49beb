import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { reading } from "./setup";

const COLLAPSE = { margin: 3, minSize: 6 };

/** Two states of a file: side by side, or one below the other where there is no room. */
export default function DiffView({ before, after, path }: { before: string; after: string; path: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery("(max-width: 820px)", undefined, { getInitialValueInEffect: false });
  useEffect(() => {
    if (!frame.current) return;
    const parent = frame.current;
    const named = (label: string) => EditorView.contentAttributes.of({ "aria-label": label });
    const extensions = [reading(path), EditorState.readOnly.of(true)];
    const unified = (): EditorView =>
      new EditorView({
        doc: after,
        extensions: [
          extensions,
          named(`${path}, both states`),
          EditorView.lineWrapping,
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSE }),
        ],
        parent,
      });
    const sides = (): MergeView =>
      new MergeView({
        a: { doc: before, extensions: [extensions, named(`${path} before`)] },
        b: { doc: after, extensions: [extensions, named(`${path} after`)] },
        parent,
        collapseUnchanged: COLLAPSE,
        gutter: true,
      });
    const view = isNarrow ? unified() : sides();
    return () => view.destroy();
  }, [before, after, path, isNarrow]);
  return <div ref={frame} />;
}
