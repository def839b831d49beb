import { Button, Menu, type ButtonProps } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Ban, ChevronDown } from "lucide-react";
import { useState, type ReactNode } from "react";
import { cancelRun, setPriority } from "~/api/actions";
import { Problem } from "~/api/client";
import { count, counted } from "~/logic/numbers";
import { LEVELS } from "~/logic/priority";
import { doAll } from "~/logic/selection";
import { useForbidden } from "~/shell/workspace";
import classes from "./Bulk.module.css";
import { showDone, showRefusal } from "./feedback";
import { ConfirmModal } from "./ConfirmModal";

interface Props {
  runIds: string[];
  hasPriority?: boolean;
  onDone: () => void;
  children?: ReactNode;
}

/** What can be done with several runs that have not finished: cancel them, or give them another priority. */
export function Bulk({ runIds, hasPriority = false, onDone, children }: Props) {
  const forbidden = useForbidden("operator");
  const { progress, act } = useActing(runIds, onDone);
  const words = counted(runIds.length, "run");
  const [isAsking, setAsking] = useState(false);
  const shared = {
    size: "xs",
    variant: "default",
    disabled: forbidden !== null,
    title: forbidden ?? undefined,
  } as const;
  return (
    <div className={classes.bar} role="group" aria-label="The chosen runs">
      <Chosen count={runIds.length} progress={progress} />
      {children}
      {hasPriority && (
        <PriorityMenu
          button={shared}
          isBusy={progress !== null}
          onChoose={(level) => void act(`now ${level.name}`, (id) => setPriority(id, level.priority))}
        />
      )}
      <Button {...shared} leftSection={<Ban size={14} />} loading={progress !== null} onClick={() => setAsking(true)}>
        Cancel {words}…
      </Button>
      <Button size="xs" variant="subtle" onClick={onDone}>
        Choose none
      </Button>
      <CancelModal
        words={words}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          void act("cancelled", cancelRun);
        }}
      />
    </div>
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Problem ? error.detail || error.title : String(error);
}

interface Acting {
  /** How many are done; null when nothing is being done. */
  progress: number | null;
  act: (what: string, one: (id: string) => Promise<unknown>) => Promise<void>;
}

/** Does something with one run after the other, and says how it went. */
function useActing(runIds: string[], onDone: () => void): Acting {
  const client = useQueryClient();
  const [progress, setProgress] = useState<number | null>(null);
  const act = async (what: string, one: (id: string) => Promise<unknown>): Promise<void> => {
    setProgress(0);
    const { done, errors } = await doAll(runIds, one, setProgress);
    await Promise.all(["queue", "runs"].map((key) => client.invalidateQueries({ queryKey: [key] })));
    setProgress(null);
    if (done > 0) showDone(`${counted(done, "run")} ${what}`);
    if (errors.length > 0) showRefusal(`${counted(errors.length, "run")} not ${what}`, reasonOf(errors[0]));
    onDone();
  };
  return { progress, act };
}

interface PriorityProps {
  button: ButtonProps & { title: string | undefined };
  isBusy: boolean;
  onChoose: (level: (typeof LEVELS)[number]) => void;
}

function PriorityMenu({ button, isBusy, onChoose }: PriorityProps) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button {...button} rightSection={<ChevronDown size={14} />} loading={isBusy}>
          Priority
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Priority of the chosen runs">
        {LEVELS.map((level) => (
          <Menu.Item key={level.name} onClick={() => onChoose(level)}>
            {level.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface CancelProps {
  words: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

function CancelModal({ words, ...rest }: CancelProps) {
  return (
    <ConfirmModal title={`Cancel ${words}?`} keep="Keep them" confirm={`Cancel ${words}`} {...rest}>
      They do not start, and running ones are stopped. Each can be run again.
    </ConfirmModal>
  );
}

function Chosen({ count: chosen, progress }: { count: number; progress: number | null }) {
  return (
    <strong className="num" role="status">
      {progress === null ? `${count(chosen)} chosen` : `${count(progress)} of ${count(chosen)} done`}
    </strong>
  );
}
