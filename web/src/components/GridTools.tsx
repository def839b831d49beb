import { ActionIcon, TextInput } from "@mantine/core";
import { ChevronDown, ChevronUp, Search } from "lucide-react";
import { useEffect, useState } from "react";
import type { Cell } from "~/logic/a1";
import type { GridView } from "~/logic/gridView";
import type { Step } from "~/logic/reading";
import { isTyping } from "~/shell/typing";
import classes from "./CellGrid.module.css";
import { useFinding } from "./useFinding";

interface Props {
  source: string;
  sheet: number;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
  /** Goes to the next or the previous issue; null where no run has found any. */
  onIssue: ((step: Step) => void) | null;
  /** Whether there is no further issue in the direction last taken. */
  isAtEnd: boolean;
  /** How rows are sorted and filtered: what is found is found among them. */
  view?: GridView;
}

/** Finds a text in a sheet, and goes from issue to issue. */
export function GridTools({ onIssue, isAtEnd, ...grid }: Props) {
  useIssueKeys(onIssue);
  return (
    <div className={classes.tools}>
      <FindBox {...grid} />
      {onIssue && (
        <>
          <span className={classes.told} role="status">
            {isAtEnd ? "No further issue" : "Issues"}
          </span>
          <Steps names={["Previous issue (p)", "Next issue (n)"]} isDisabled={false} onStep={onIssue} />
        </>
      )}
    </div>
  );
}

function FindBox({ source, sheet, chosen, onChoose, view }: Omit<Props, "onIssue" | "isAtEnd">) {
  const [text, setText] = useState("");
  const finding = useFinding(source, sheet, chosen, onChoose, view);
  const find = (step: Step): void => {
    if (text.trim() !== "") finding.find(text.trim(), step);
  };
  return (
    <>
      <TextInput
        size="xs"
        w={210}
        data-search
        aria-label="Find in this sheet"
        placeholder="Find in this sheet"
        leftSection={<Search size={14} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && find(event.shiftKey ? -1 : 1)}
      />
      <Steps
        names={["Previous cell with it", "Next cell with it"]}
        isDisabled={text.trim() === "" || finding.isBusy}
        onStep={find}
      />
      <span className={classes.told} role="status">
        {finding.error ? finding.error.message : finding.outcome}
      </span>
    </>
  );
}

interface StepsProps {
  /** Of the way back, and of the way on. */
  names: [string, string];
  isDisabled: boolean;
  onStep: (step: Step) => void;
}

function Steps({ names: [back, on], isDisabled, onStep }: StepsProps) {
  return (
    <ActionIcon.Group>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={back}
        title={back}
        disabled={isDisabled}
        onClick={() => onStep(-1)}
      >
        <ChevronUp size={15} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={on}
        title={on}
        disabled={isDisabled}
        onClick={() => onStep(1)}
      >
        <ChevronDown size={15} />
      </ActionIcon>
    </ActionIcon.Group>
  );
}

/** n and p, outside of text fields. */
function useIssueKeys(onIssue: ((step: Step) => void) | null): void {
  useEffect(() => {
    if (!onIssue) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (isTyping(event.target) || event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === "n" || event.key === "p") onIssue(event.key === "n" ? 1 : -1);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [onIssue]);
}
