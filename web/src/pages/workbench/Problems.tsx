import { CircleCheck } from "lucide-react";
import type { CheckResult } from "~/api/types";
import { SeverityBadge } from "~/components/status";
import classes from "./workbench.module.css";

export function Problems({
  check,
  error = null,
  onOpen,
}: {
  check: CheckResult | undefined;
  /** Why the draft could not be checked. */
  error?: Error | null;
  onOpen: (file: string, line: number) => void;
}) {
  const problems = check?.problems ?? [];
  return (
    <section className={classes.problems} aria-label="Problems">
      {error && <p className={classes.unchecked}>The draft could not be checked: {error.message}</p>}
      {check && !error && problems.length === 0 && (
        <p className={classes.fine}>
          <CircleCheck size={15} aria-hidden /> No problems found
        </p>
      )}
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.file} ${problem.line} ${problem.code}`}>
            <button type="button" onClick={() => onOpen(problem.file, problem.line)}>
              <SeverityBadge severity={problem.severity} />
              <span className="mono">
                {problem.file}:{problem.line}
              </span>
              <span>
                {problem.message}
                {problem.suggestion && `. ${problem.suggestion}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
