import { Button, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import { useState, type FormEvent } from "react";
import type { Severity } from "~/api/artifact";
import type { Run, ValueCorrection, ValueGroup } from "~/api/types";
import { SeverityBadge } from "~/components/status";
import { count, counted } from "~/logic/numbers";
import { nearestChoice } from "~/logic/similar";
import { decisionWords, isCorrectable } from "~/logic/values";
import { useForbidden } from "~/shell/workspace";
import { ChoiceSelect } from "./ChoiceSelect";
import classes from "./values.module.css";

interface Props {
  run: Run;
  group: ValueGroup;
  /** What the field may be; null: anything. */
  choices: readonly string[] | null;
  decided: ValueCorrection | undefined;
  onDecide: (made: ValueCorrection) => void;
  onUndo: (made: ValueCorrection) => void;
}

/** One value: how often it came, what is wrong with it, and what becomes of it. */
export function ValueRow({ run, group, choices, decided, onDecide, onUndo }: Props) {
  const [areCellsShown, setCellsShown] = useState(false);
  const forbidden = useForbidden("operator");
  const name = group.value ?? "empty cells";
  return (
    <li className={classes.row} data-decided={decided ? true : undefined}>
      <span className={classes.what}>
        {group.value === null ? <em>empty</em> : <span className={classes.value}>{group.value}</span>}
        <span className="num">× {count(group.count)}</span>
        <SeverityBadge severity={group.severity as Severity} />
        <span className={classes.hint}>{group.message}</span>
      </span>
      <span className={classes.actions} role="group" aria-label={`What becomes of ${name}`}>
        {decided ? (
          <Decided decided={decided} name={name} onUndo={onUndo} />
        ) : (
          isCorrectable(group) && !forbidden && <Actions group={group} choices={choices} onDecide={onDecide} />
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          aria-expanded={areCellsShown}
          onClick={() => setCellsShown(!areCellsShown)}
        >
          {areCellsShown ? "Hide cells" : "Show cells"}
        </Button>
      </span>
      {areCellsShown && <Cells run={run} group={group} />}
    </li>
  );
}

interface DecidedProps {
  decided: ValueCorrection;
  name: string;
  onUndo: (made: ValueCorrection) => void;
}

function Decided({ decided, name, onUndo }: DecidedProps) {
  return (
    <>
      <strong className={classes.decision}>{decisionWords(decided)}</strong>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<Undo2 size={13} />}
        aria-label={`Undo what becomes of ${name}`}
        onClick={() => onUndo(decided)}
      >
        Undo
      </Button>
    </>
  );
}

type ActionsProps = Pick<Props, "group" | "choices" | "onDecide">;

function Actions({ group, choices, onDecide }: ActionsProps) {
  const [isTyping, setTyping] = useState(false);
  const about = { kind: "value" as const, field: group.field, value: group.value ?? "" };
  const becomes = (text: string | null): void => onDecide({ ...about, new: text });
  const nearest = choices ? nearestChoice(about.value, choices) : null;
  if (isTyping) return <Replacement value={about.value} onReplace={becomes} onClose={() => setTyping(false)} />;
  return (
    <>
      {nearest !== null && (
        <Button size="compact-xs" onClick={() => becomes(nearest)}>
          {nearest}
        </Button>
      )}
      {choices ? (
        <ChoiceSelect choices={choices} name={about.value} onChoose={becomes} />
      ) : (
        <Button size="compact-xs" variant="default" onClick={() => setTyping(true)}>
          Replace…
        </Button>
      )}
      <Button size="compact-xs" variant="default" onClick={() => becomes(null)}>
        Make empty
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onDecide({ ...about, outcome: "accept" })}>
        It is right
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onDecide({ ...about, outcome: "drop" })}>
        Leave the {group.count === 1 ? "row" : "rows"} out
      </Button>
    </>
  );
}

interface ReplacementProps {
  value: string;
  onReplace: (text: string) => void;
  onClose: () => void;
}

function Replacement({ value, onReplace, onClose }: ReplacementProps) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== "" && text !== value) onReplace(text.trim());
    onClose();
  };
  return (
    <form className={classes.replacement} onSubmit={submit}>
      <TextInput
        size="xs"
        data-autofocus
        autoFocus
        aria-label={`Replace ${value} by`}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onClose()}
      />
      <Button size="compact-xs" type="submit" disabled={text.trim() === "" || text === value}>
        Replace
      </Button>
    </form>
  );
}

/** The first cells that hold the value, each a way into the document. */
function Cells({ run, group }: { run: Run; group: ValueGroup }) {
  const more = group.count - group.cells.length;
  return (
    <span className={classes.cells} data-prose>
      {group.cells.map(({ sheet, cell }) => (
        <Link
          key={`${sheet ?? ""} ${cell}`}
          className="link mono"
          to="/documents/$documentId"
          params={{ documentId: run.input_document_id }}
          search={{ run: run.id, cell, ...(sheet && { sheet }) }}
        >
          {sheet ? `${sheet}!` : ""}
          {cell}
        </Link>
      ))}
      {more > 0 && <span className={classes.hint}>and {counted(more, "more cell")}</span>}
    </span>
  );
}
