import "uplot/dist/uPlot.min.css";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";

export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
}

interface Props {
  label: string;
  times: number[];
  series: Series[];
  format: (value: number) => string;
  most?: number;
}

const HEIGHT = 210;
const LEAST_SECONDS = 3600;

/** Lines over time. A table with the same numbers stands beside it for those who cannot see it. */
export function Chart({ label, times, series, format, most }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light");
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const ink = style.getPropertyValue("--mantine-color-dimmed");
    const line = style.getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { live: true },
        // A single moment would otherwise stand alone in years of nothing.
        scales: {
          x: { range: (_, first, last) => [Math.min(first, last - LEAST_SECONDS), last] },
          y: { range: (_, __, highest) => [0, most ?? Math.max(1, highest * 1.1)] },
        },
        axes: [axis, { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => format(tick)) }],
        series: [
          {},
          ...series.map((one) => {
            const color = style.getPropertyValue(one.color) || one.color;
            return {
              label: one.label,
              stroke: color,
              width: 2,
              points: { show: times.length < 40, size: 5 },
              value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
            };
          }),
        ],
      },
      [times, ...series.map((one) => one.values)],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [times, series, format, most, scheme]);
  return <div ref={frame} role="img" aria-label={label} />;
}
