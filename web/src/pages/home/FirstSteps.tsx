import classes from "./HomePage.module.css";

const MESSY = ["title", "title", "", "header", "header", "header", "", "", "", "", "issue", "", "", "", ""];
const CLEAN = ["header", "header", "header", "", "", "", "", "changed", "", "", "", "", "", "", ""];

/** The first steps, for people who are new. */
export function FirstSteps() {
  return (
    <ol className={classes.steps}>
      <li className={`card ${classes.step}`}>
        <Sheet kinds={MESSY} />
        <h2>1. Drop what you were sent</h2>
        <p>Titles above the header, totals, notes, several tables on a sheet, any order of columns.</p>
      </li>
      <li className={`card ${classes.step}`}>
        <Sheet kinds={CLEAN} />
        <h2>2. Get a clean workbook</h2>
        <p>One header, your fields, clean values. Values that cannot be right are issues.</p>
      </li>
      <li className={`card ${classes.step}`}>
        <div className={`${classes.drawing} ${classes.bars}`} aria-hidden>
          <b style={{ width: "78%" }} />
          <b style={{ width: "46%" }} />
          <b style={{ width: "18%" }} data-against />
        </div>
        <h2>3. See why, and correct it</h2>
        <p>Every decision shows the evidence for and against it. Correct a column, and see what changes.</p>
      </li>
    </ol>
  );
}

function Sheet({ kinds }: { kinds: string[] }) {
  const rows = [0, 3, 6, 9, 12].map((start) => kinds.slice(start, start + 3));
  return (
    <div className={classes.drawing} aria-hidden>
      {rows.map((row, place) => (
        <div key={place}>
          {row.map((kind, index) => (
            <i key={index} data-kind={kind} />
          ))}
        </div>
      ))}
    </div>
  );
}
