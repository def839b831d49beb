import { Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ArrowDownToLine, ArrowUpToLine, Ban, ChevronDown, ChevronUp, EllipsisVertical, Hash } from "lucide-react";
import { useRef, useState } from "react";
import { cancelRun, setPriority } from "~/api/actions";
import { showProblem } from "~/components/feedback";
import { LEVELS } from "~/logic/priority";
import classes from "./queue.module.css";
import { MoveModal } from "./MoveModal";
import type { RowProps } from "./QueueRow";

type Props = Pick<RowProps, "item" | "index" | "count" | "forbidden" | "onMove">;

/** The button of a row's menu. The menu itself exists while it is open: a long queue has many rows. */
export function RowMenu(props: Props) {
  const { item, index, forbidden } = props;
  const [isOpen, setOpen] = useState(false);
  const [isPlacing, setPlacing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div className={classes.menu}>
      <button
        type="button"
        ref={button}
        className={classes.dots}
        aria-label={`Actions for ${item.document_name}, #${index + 1}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        // Otherwise the menu treats this as a press outside of it, and the click that follows opens it again.
        onMouseDown={(event) => isOpen && event.stopPropagation()}
        onTouchStart={(event) => isOpen && event.stopPropagation()}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        <EllipsisVertical size={16} aria-hidden />
      </button>
      {isOpen && <OpenMenu {...props} onClose={close} onPlace={() => setPlacing(true)} />}
      {isPlacing && (
        <MoveModal
          name={item.document_name}
          index={index}
          count={props.count}
          onClose={() => setPlacing(false)}
          onMove={(to) => props.onMove(index, to)}
        />
      )}
    </div>
  );
}

interface OpenProps extends Props {
  onClose: () => void;
  onPlace: () => void;
}

function OpenMenu({ item, index, count, onMove, onClose, onPlace }: OpenProps) {
  const client = useQueryClient();
  const settled = { onError: showProblem, onSettled: () => client.invalidateQueries({ queryKey: ["queue"] }) };
  const cancel = useMutation({ mutationFn: () => cancelRun(item.run_id), ...settled });
  const change = useMutation({ mutationFn: (priority: number) => setPriority(item.run_id, priority), ...settled });
  return (
    <Menu opened onClose={onClose} position="bottom-end" width={210}>
      <Menu.Target>
        <span className={classes.anchor} />
      </Menu.Target>
      <Menu.Dropdown aria-label={`Actions for ${item.document_name}`}>
        <MoveItems index={index} count={count} onMove={onMove} onPlace={onPlace} />
        <Menu.Divider />
        <Menu.Label>Priority</Menu.Label>
        {LEVELS.filter((level) => level.priority !== item.priority).map((level) => (
          <Menu.Item key={level.name} onClick={() => change.mutate(level.priority)}>
            {level.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Ban size={15} />} onClick={() => cancel.mutate()}>
          Cancel
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function MoveItems({ index, count, onMove, onPlace }: Pick<OpenProps, "index" | "count" | "onMove" | "onPlace">) {
  const [isFirst, isLast] = [index === 0, index === count - 1];
  return (
    <>
      <Menu.Item leftSection={<ArrowUpToLine size={15} />} disabled={isFirst} onClick={() => onMove(index, 0)}>
        Move to the top
      </Menu.Item>
      <Menu.Item leftSection={<ChevronUp size={15} />} disabled={isFirst} onClick={() => onMove(index, index - 1)}>
        Move up
      </Menu.Item>
      <Menu.Item leftSection={<ChevronDown size={15} />} disabled={isLast} onClick={() => onMove(index, index + 1)}>
        Move down
      </Menu.Item>
      <Menu.Item leftSection={<ArrowDownToLine size={15} />} disabled={isLast} onClick={() => onMove(index, count - 1)}>
        Move to the end
      </Menu.Item>
      <Menu.Item leftSection={<Hash size={15} />} disabled={count < 2} onClick={onPlace}>
        Move to position…
      </Menu.Item>
    </>
  );
}
