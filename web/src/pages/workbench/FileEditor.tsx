import { Button, Group, Modal, Text } from "@mantine/core";
import { CircleAlert, CircleCheck, CircleDot } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import type { CheckResult } from "~/api/types";
import { RowsSkeleton } from "~/components/feedback";
import { useDraftFile, type SaveState } from "./useDraftFile";
import classes from "./workbench.module.css";

const CodeEditor = lazy(() => import("~/components/editor/CodeEditor"));
const DiffView = lazy(() => import("~/components/editor/DiffView"));

interface Props {
  configurationId: string;
  path: string;
  first: { text: string; etag: string | null };
  isReadOnly: boolean;
  check: CheckResult | undefined;
  line: number | null;
  find: string | null;
  onSaved: () => void;
  onRun: () => void;
  onReady: (save: () => Promise<boolean>) => void;
}

const WORDS: Record<SaveState, string> = {
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving…",
  conflict: "Someone else changed it",
  failed: "Could not be saved",
};

export function FileEditor({
  configurationId,
  path,
  first,
  isReadOnly,
  check,
  line,
  find,
  onSaved,
  onRun,
  onReady,
}: Props) {
  const [start] = useState(first);
  const { state, conflict, change, save, settle, current } = useDraftFile(configurationId, path, start);
  const [shown, setShown] = useState({ text: start.text, count: 0 });
  const problems = useMemo(() => (check?.problems ?? []).filter((problem) => problem.file === path), [check, path]);
  const found = find ? start.text.split("\n").findIndex((one) => one.includes(find)) + 1 : 0;
  useEffect(() => {
    onReady(save);
  }, [save, onReady]);
  useEffect(() => {
    if (state === "saved") onSaved();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a save is worth another check
  }, [state]);
  const Icon = state === "saved" ? CircleCheck : state === "unsaved" || state === "saving" ? CircleDot : CircleAlert;
  const end = (isMine: boolean): void => setShown({ text: settle(isMine), count: shown.count + 1 });
  return (
    <>
      <div className={classes.fileBar}>
        <span className="mono">{path}</span>
        <span className={classes.save} data-state={state} role="status">
          <Icon size={14} aria-hidden /> {isReadOnly ? "Read only" : WORDS[state]}
        </span>
      </div>
      <div className={classes.editor}>
        <Suspense fallback={<RowsSkeleton rows={12} />}>
          <CodeEditor
            key={shown.count}
            path={path}
            initial={shown.text}
            isReadOnly={isReadOnly}
            problems={problems}
            line={line ?? (found || null)}
            onChange={change}
            onRun={onRun}
          />
        </Suspense>
      </div>
      {conflict && (
        <Modal opened size="xl" onClose={() => end(true)} title="Someone else changed this file">
          <Text size="sm" mb="sm">
            Left is what they wrote, right is yours. Nothing is lost until you choose.
          </Text>
          <Suspense fallback={<RowsSkeleton />}>
            <DiffView before={conflict.theirs} after={current()} path={path} />
          </Suspense>
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={() => end(false)}>
              Take theirs
            </Button>
            <Button onClick={() => end(true)}>Keep mine</Button>
          </Group>
        </Modal>
      )}
    </>
  );
}
