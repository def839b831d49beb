import classes from "./Tick.module.css";

/** A box to tick in a row of a long list; the browser's own, because there are many. */
export function Tick({
  label,
  isTicked,
  isPartly = false,
  isDisabled = false,
  title,
  onChange,
}: {
  label: string;
  isTicked: boolean;
  /** Only some of its rows are ticked. */
  isPartly?: boolean;
  isDisabled?: boolean;
  title?: string | undefined;
  onChange: (isShift: boolean) => void;
}) {
  return (
    <label className={classes.around} title={title}>
      <input
        ref={(box) => {
          if (box) box.indeterminate = isPartly;
        }}
        type="checkbox"
        className={classes.tick}
        aria-label={label}
        checked={isTicked}
        disabled={isDisabled}
        onChange={(event) => onChange((event.nativeEvent as MouseEvent).shiftKey === true)}
      />
    </label>
  );
}
