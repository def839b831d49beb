import { useState } from "react";
import { roundTop } from "~/logic/slices";
import classes from "./BarChart.module.css";

export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
}

interface Props {
  label: string;
  /** The time of each bar: at length, and in short for the axis. */
  times: { label: string; shortLabel: string }[];
  series: Series[];
  format: (value: number) => string;
  most?: number;
}

const MOST_TIME_LABELS = 6;

/** Stacked bars over time, with a table of the same numbers for people who cannot see them. */
export function BarChart({ label, times, series, format, most }: Props) {
  const [pointed, setPointed] = useState<number | null>(null);
  const totals = times.map((_, index) => series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0));
  const top = most ?? roundTop(Math.max(...totals, 0));
  return (
    <div>
      <div className={classes.plot} role="img" aria-label={label}>
        <div className={classes.scale}>
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>{format(0)}</span>
        </div>
        <div className={classes.bars} onPointerLeave={() => setPointed(null)}>
          {times.map((time, index) => (
            <div
              key={time.label}
              className={classes.slot}
              data-pointed={index === pointed || undefined}
              onPointerEnter={() => setPointed(index)}
            >
              {series.map((one) => {
                const value = one.values[index] ?? 0;
                const height = `${Math.min(100, (value / top) * 100)}%`;
                return value > 0 && <div key={one.label} style={{ height, background: `var(${one.color})` }} />;
              })}
            </div>
          ))}
        </div>
        <Times times={times} />
      </div>
      <Legend times={times} series={series} format={format} pointed={pointed} />
    </div>
  );
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

/** The meaning of the colours, and the numbers of the bar under the pointer. */
function Legend({
  times,
  series,
  format,
  pointed,
}: Pick<Props, "times" | "series" | "format"> & { pointed: number | null }) {
  return (
    <ul className={classes.legend}>
      {series.map((one) => (
        <li key={one.label}>
          <span className={classes.swatch} style={{ background: `var(${one.color})` }} />
          {one.label}
          <strong className="num">{pointed === null ? "" : shown(one.values[pointed], format)}</strong>
        </li>
      ))}
      <li className={classes.when}>{pointed === null ? "" : times[pointed]?.label}</li>
    </ul>
  );
}

function Times({ times }: Pick<Props, "times">) {
  const every = Math.ceil(times.length / MOST_TIME_LABELS);
  return (
    <div className={classes.times}>
      {times.map((time, index) => (
        <span key={time.label} data-other={(index / every) % 2 === 1 || undefined}>
          {index % every === 0 && index + every / 2 < times.length && <span>{time.shortLabel}</span>}
        </span>
      ))}
    </div>
  );
}
