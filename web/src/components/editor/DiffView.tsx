import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { useEffect, useRef } from "react";
import { reading } from "./setup";

/** Two states of a file, side by side. */
export default function DiffView({ before, after, path }: { before: string; after: string; path: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!frame.current) return;
    const extensions = [reading(path), EditorState.readOnly.of(true)];
    const view = new MergeView({
      a: { doc: before, extensions },
      b: { doc: after, extensions },
      parent: frame.current,
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    return () => view.destroy();
  }, [before, after, path]);
  return <div ref={frame} />;
}
