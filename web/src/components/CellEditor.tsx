import { useRef, useState, type KeyboardEvent } from "react";
import classes from "./CellGrid.module.css";

interface Props {
  name: string;
  text: string;
  onFinish: (text: string, down: number, right: number) => void;
  onCancel: () => void;
}

/** The text of one cell while it is edited: Enter and Tab accept it, Escape leaves the cell unchanged. */
export function CellEditor({ name, text: first, onFinish, onCancel }: Props) {
  const [text, setText] = useState(first);
  const isOver = useRef(false); // its end takes the focus away, too
  const end = (work: () => void): void => {
    if (isOver.current) return;
    isOver.current = true;
    work();
  };
  const press = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") end(() => onFinish(text, event.shiftKey ? -1 : 1, 0));
    else if (event.key === "Tab") end(() => onFinish(text, 0, event.shiftKey ? -1 : 1));
    else if (event.key === "Escape") end(onCancel);
    else return;
    event.preventDefault();
  };
  return (
    <input
      className={classes.editor}
      aria-label={`New value of ${name}`}
      value={text}
      maxLength={1000}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={press}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onBlur={() => end(() => onFinish(text, 0, 0))}
    />
  );
}
