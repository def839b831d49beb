import { Button, Group, Modal, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { count as shown } from "~/logic/numbers";

interface Props {
  name: string;
  index: number;
  count: number;
  onClose: () => void;
  onMove: (to: number) => void;
}

/** Ask for the place in the queue that a run shall have. */
export function MoveModal({ name, index, count, onClose, onMove }: Props) {
  const [text, setText] = useState(String(index + 1));
  const place = Number(text);
  const isPlace = Number.isInteger(place) && place >= 1 && place <= count;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPlace) return;
    onClose();
    onMove(place - 1);
  };
  return (
    <Modal opened onClose={onClose} title={`Move ${name}`}>
      <form onSubmit={submit}>
        <TextInput
          data-autofocus
          label="Position"
          description={`1 is next, ${shown(count)} is last`}
          inputMode="numeric"
          value={text}
          error={isPlace || text === "" ? null : `A whole number from 1 to ${shown(count)}`}
          onChange={(event) => setText(event.currentTarget.value.trim())}
          onFocus={(event) => event.currentTarget.select()}
          mb="md"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button type="submit" disabled={!isPlace || place === index + 1}>
            Move
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
