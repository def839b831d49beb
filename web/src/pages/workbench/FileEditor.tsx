import { Button, Group, Modal, Text } from "@mantine/core";
import { CircleAlert, CircleCheck, CircleDot } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import type { CheckResult } from "~/api/types";
import { RowsSkeleton } from "~/components/feedback";
import { Time } from "~/components/Time";
import { load } from "~/shell/version";
import type { DraftFile, SaveState, Stored } from "./draftFile";
import { useDraftFile } from "./useDraftFile";
import classes from "./workbench.module.css";

const CodeEditor = lazy(() => load(() => import("~/components/editor/CodeEditor")));
const DiffView = lazy(() => load(() => import("~/components/editor/DiffView")));

interface Props {
  configurationId: string;
  path: string;
  first: { text: string; etag: string | null };
  isReadOnly: boolean;
  fields: readonly string[];
  check: CheckResult | undefined;
  line: number | null;
  find: string | null;
  onSaved: () => void;
  onRun: () => void;
  /** What can be done with the file, next to its name. */
  actions: ReactNode;
}

const WORDS: Record<SaveState, string> = {
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving…",
  conflict: "Another person changed it",
  failed: "Not saved",
};

export function FileEditor({ configurationId, path, first, check, line, find, actions, ...props }: Props) {
  const { isReadOnly, fields, ...on } = props;
  const draft = useDraftFile(configurationId, path, first);
  const { file, state, theirs, isAsking, restored } = draft;
  const [shown, setShown] = useState({ text: file.text, count: 0 });
  const problems = useMemo(() => (check?.problems ?? []).filter((problem) => problem.file === path), [check, path]);
  const found = find ? shown.text.split("\n").findIndex((one) => one.includes(find)) + 1 : 0;
  useEffect(() => {
    if (state === "saved") on.onSaved();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a save is worth another check
  }, [state]);
  /** Put into the editor what the file contains now. */
  const show = (): void => setShown({ text: file.text, count: shown.count + 1 });
  return (
    <>
      <FileBar path={path} isReadOnly={isReadOnly} draft={draft} actions={actions} />
      {restored && !theirs && <RestoredNote file={file} at={restored.at} onReplaced={show} />}
      <div className={classes.editor}>
        <Suspense fallback={<RowsSkeleton rows={12} />}>
          <CodeEditor
            key={shown.count}
            path={path}
            initial={shown.text}
            isReadOnly={isReadOnly}
            fields={fields}
            problems={problems}
            line={line ?? (found || null)}
            onChange={(text) => file.change(text)}
            onRun={on.onRun}
          />
        </Suspense>
      </div>
      {theirs && isAsking && <ConflictModal file={file} theirs={theirs} path={path} onSettled={show} />}
    </>
  );
}

interface ConflictProps {
  file: DraftFile;
  theirs: Stored;
  path: string;
  onSettled: () => void;
}

/** Two texts of one file. Closing it decides nothing: it comes back at the next save. */
function ConflictModal({ file, theirs, path, onSettled }: ConflictProps) {
  const end = (isMine: boolean): void => {
    file.settle(isMine);
    onSettled();
  };
  const isGone = theirs.text === null;
  return (
    <Modal
      opened
      size="xl"
      onClose={() => file.postpone()}
      title={isGone ? "Another person removed this file" : "Another person changed this file"}
    >
      <Text size="sm" mb="sm">
        {isGone ? "Your text is below." : "Their text is on the left, yours on the right."} Nothing is saved until you
        choose.
      </Text>
      <Suspense fallback={<RowsSkeleton />}>
        <DiffView before={theirs.text ?? ""} after={file.text} path={path} />
      </Suspense>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => file.postpone()}>
          Later
        </Button>
        {!isGone && (
          <Button variant="default" onClick={() => end(false)}>
            Take theirs
          </Button>
        )}
        <Button onClick={() => end(true)}>{isGone ? "Save mine again" : "Keep mine"}</Button>
      </Group>
    </Modal>
  );
}

type BarProps = Pick<Props, "path" | "isReadOnly" | "actions"> & { draft: ReturnType<typeof useDraftFile> };

/** The name of the file, and whether it is saved. */
function FileBar({ path, isReadOnly, draft, actions }: BarProps) {
  const { file, state, failure } = draft;
  const Icon = state === "saved" ? CircleCheck : state === "unsaved" || state === "saving" ? CircleDot : CircleAlert;
  return (
    <div className={classes.fileBar}>
      <span className="mono">{path}</span>
      <span className={classes.save} data-state={state} role="status">
        <Icon size={14} aria-hidden /> {isReadOnly ? "Read only" : WORDS[state]}
        {state === "failed" && failure && `: ${failure}`}
      </span>
      {state === "conflict" && (
        <Button size="compact-sm" variant="default" onClick={() => void file.save()}>
          Choose a text…
        </Button>
      )}
      {state === "failed" && (
        <Button size="compact-sm" variant="default" onClick={() => void file.save()}>
          Save again
        </Button>
      )}
      <span style={{ flex: 1 }} />
      {actions}
    </div>
  );
}

interface RestoredProps {
  file: DraftFile;
  at: number;
  onReplaced: () => void;
}

function RestoredNote({ file, at, onReplaced }: RestoredProps) {
  return (
    <div className={classes.restored} role="note">
      <span>
        What you typed <Time at={new Date(at).toISOString()} /> had not been saved. It is here again.
      </span>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          file.endRestored(false);
          onReplaced();
        }}
      >
        Use the other text
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => file.endRestored(true)}>
        Keep it
      </Button>
    </div>
  );
}
