import { Button, Group, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChartLine } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { analyticsQuery } from "~/api/queries";
import type { Percentiles } from "~/api/types";
import { BarChart, type Series } from "~/components/BarChart";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { count, percent } from "~/logic/numbers";
import { priorityName } from "~/logic/priority";
import { filled, type Slice } from "~/logic/slices";
import { duration } from "~/logic/time";
import classes from "./queue.module.css";

/** How the queue has been doing; each chart has a table with the same numbers. */
export default function Analytics({ window }: { window: string }) {
  const figures = useQuery(analyticsQuery(window));
  const slices = useMemo(
    () => (figures.data ? filled(figures.data.since, figures.data.slices, new Date()) : []),
    [figures.data],
  );
  if (errorOf(figures)) return <ErrorPanel error={errorOf(figures)} onAgain={() => void figures.refetch()} />;
  if (!figures.data) return <RowsSkeleton rows={8} />;
  if (figures.data.slices.length === 0)
    return (
      <div className="card">
        <Empty icon={<ChartLine aria-hidden />} title="No run finished in this time">
          Charts appear with the first runs.
        </Empty>
      </div>
    );
  return (
    <div className={classes.charts}>
      <PercentileCard title="Wait by priority" rows={figures.data.wait} />
      <PercentileCard title="Run time by priority" rows={figures.data.run} />
      <Throughput slices={slices} />
      <Utilisation slices={slices} />
    </div>
  );
}

function PercentileCard({ title, rows }: { title: string; rows: Percentiles[] }) {
  const longest = Math.max(...rows.map((row) => row.p99_seconds ?? 0), 0.001);
  const bar = (value: number | null, shade: number): ReactNode => (
    <span
      className={classes.pbar}
      style={{ width: `${((value ?? 0) / longest) * 100}%`, opacity: shade }}
      aria-hidden
    />
  );
  return (
    <section className={`card ${classes.chart}`} aria-label={title}>
      <Title order={3} size="h5" mb={8}>
        {title}
      </Title>
      <table>
        <PercentileTitles />
        <tbody>
          {rows.map((row) => (
            <tr key={row.priority}>
              <th scope="row">{priorityName(row.priority)}</th>
              <td className="num">{seconds(row.p50_seconds)}</td>
              <td className="num">{seconds(row.p90_seconds)}</td>
              <td className="num">{seconds(row.p99_seconds)}</td>
              <td>
                <div className={classes.pbars}>
                  {bar(row.p99_seconds, 0.3)}
                  {bar(row.p90_seconds, 0.55)}
                  {bar(row.p50_seconds, 1)}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function seconds(value: number | null): string {
  return value === null ? "–" : duration(value);
}

function Throughput({ slices }: { slices: Slice[] }) {
  const series = useMemo<Series[]>(
    () => [
      { label: "Succeeded", color: "--accent-text", values: slices.map((slice) => slice.succeeded_count) },
      { label: "Failed", color: "--chart-bad", values: slices.map((slice) => slice.failed_count) },
      { label: "Cancelled", color: "--chart-quiet", values: slices.map((slice) => slice.cancelled_count) },
      { label: "Refused", color: "--chart-warn", values: slices.map((slice) => slice.rejected_count) },
    ],
    [slices],
  );
  return <ChartCard title="Runs finished" slices={slices} series={series} format={count} />;
}

function Utilisation({ slices }: { slices: Slice[] }) {
  const series = useMemo<Series[]>(
    () => [{ label: "Slots in use", color: "--accent-text", values: slices.map((slice) => slice.utilisation) }],
    [slices],
  );
  return <ChartCard title="Slots in use" slices={slices} series={series} format={percent} most={1} />;
}

interface CardProps {
  title: string;
  slices: Slice[];
  series: Series[];
  format: (value: number) => string;
  most?: number;
}

function ChartCard({ title, slices, series, format, most }: CardProps) {
  const [isTable, setTable] = useState(false);
  return (
    <section className={`card ${classes.chart}`} aria-label={title}>
      <Group justify="space-between" mb={8}>
        <Title order={3} size="h5">
          {title}
        </Title>
        <Button size="compact-xs" variant="subtle" onClick={() => setTable(!isTable)}>
          {isTable ? "Show the chart" : "Show as a table"}
        </Button>
      </Group>
      {isTable ? (
        <ChartTable title={title} slices={slices} series={series} format={format} />
      ) : (
        <BarChart label={`${title} over time`} times={slices} series={series} format={format} {...(most && { most })} />
      )}
    </section>
  );
}

function ChartTable({ title, slices, series, format }: Omit<CardProps, "most">) {
  return (
    <div className={classes.twin} tabIndex={0} role="region" aria-label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {slices.map((slice, index) => (
            <tr key={slice.label}>
              <th scope="row">{slice.label}</th>
              {series.map((one) => {
                const value = one.values[index];
                return (
                  <td key={one.label} className="num">
                    {value === null || value === undefined ? "–" : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PercentileTitles() {
  return (
    <thead>
      <tr>
        <th scope="col">Priority</th>
        <th scope="col">Half within</th>
        <th scope="col">90 % within</th>
        <th scope="col">99 % within</th>
        <th scope="col" style={{ width: "38%" }}>
          <span className="only-sr">Drawn</span>
        </th>
      </tr>
    </thead>
  );
}
