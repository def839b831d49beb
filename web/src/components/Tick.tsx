import classes from "./Tick.module.css";

/** A box to tick in a row of a long list; the browser's own, because there are many. */
export function Tick({
  label,
  isTicked,
  isDisabled = false,
  onChange,
}: {
  label: string;
  isTicked: boolean;
  isDisabled?: boolean;
  onChange: () => void;
}) {
  return (
    <input
      type="checkbox"
      className={classes.tick}
      aria-label={label}
      checked={isTicked}
      disabled={isDisabled}
      onChange={onChange}
    />
  );
}
