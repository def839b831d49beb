import { Button, Group, Menu, Modal, Text } from "@mantine/core";
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

/** What can be done with several runs that have not finished: cancel them, or give them another priority. */
export function Bulk({
  runIds,
  hasPriority = false,
  onDone,
  children,
}: {
  runIds: string[];
  hasPriority?: boolean;
  onDone: () => void;
  children?: ReactNode;
}) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const [progress, setProgress] = useState<number | null>(null);
  const [isAsking, setAsking] = useState(false);
  const act = async (what: string, one: (id: string) => Promise<unknown>): Promise<void> => {
    setAsking(false);
    setProgress(0);
    const { done, errors } = await doAll(runIds, one, setProgress);
    await Promise.all(["queue", "runs"].map((key) => client.invalidateQueries({ queryKey: [key] })));
    setProgress(null);
    if (done > 0) showDone(`${counted(done, "run")} ${what}`);
    if (errors.length > 0) showRefusal(`${counted(errors.length, "run")} not ${what}`, reasonOf(errors[0]));
    onDone();
  };
  const shared = {
    size: "xs",
    variant: "default",
    disabled: forbidden !== null,
    title: forbidden ?? undefined,
  } as const;
  return (
    <div className={classes.bar} role="group" aria-label="The chosen runs">
      <strong className="num" role="status">
        {progress === null ? `${count(runIds.length)} chosen` : `${count(progress)} of ${count(runIds.length)} done`}
      </strong>
      {children}
      {hasPriority && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button {...shared} rightSection={<ChevronDown size={14} />} loading={progress !== null}>
              Priority
            </Button>
          </Menu.Target>
          <Menu.Dropdown aria-label="Priority of the chosen runs">
            {LEVELS.map((level) => (
              <Menu.Item
                key={level.name}
                onClick={() => void act(`now ${level.name}`, (id) => setPriority(id, level.priority))}
              >
                {level.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Button {...shared} leftSection={<Ban size={14} />} loading={progress !== null} onClick={() => setAsking(true)}>
        Cancel {counted(runIds.length, "run")}…
      </Button>
      <Button size="xs" variant="subtle" onClick={onDone}>
        Choose none
      </Button>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={`Cancel ${counted(runIds.length, "run")}?`}>
        <Text size="sm" mb="md">
          They do not start, and what runs already is stopped. Each can be run again.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setAsking(false)}>
            Keep them
          </Button>
          <Button color="red" onClick={() => void act("cancelled", cancelRun)}>
            Cancel {counted(runIds.length, "run")}
          </Button>
        </Group>
      </Modal>
    </div>
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Problem ? error.detail || error.title : String(error);
}
