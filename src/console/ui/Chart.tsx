import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { usePage } from "../console.ts";
import type { SeriesPart } from "../data/series.ts";
import { inkOf, type Ink } from "./ink.ts";

export interface ChartProps {
  /** What it shows, for who does not see it; the values stand beside it in words. */
  readonly label: string;
  readonly tone: "cpu" | "memory" | "disk";
  readonly lines: readonly string[];
  /** What to draw now; it reads signals, and is asked again when they change. */
  readonly read: () => { readonly part: SeriesPart; readonly from: number; readonly to: number };
  /** The top of the scale; from the values where it is absent. */
  readonly top?: number;
  readonly format: (value: number) => string;
  /** Distances that lines of the grid may have. */
  readonly steps?: readonly number[];
  readonly height: number;
  /** Charts of one key show the same moment under the pointer. */
  readonly sync?: string;
  /** Somebody looks closer. */
  readonly onZoom?: () => void;
}

/** Values over time. The first line is filled, further ones are thin. It is made anew for other lines. */
export function Chart(props: ChartProps): JSX.Element {
  const { label, tone, height, lines } = props;
  const { appearance } = usePage();
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const plot = useRef<uPlot | undefined>(undefined);
  const ink = useRef<Ink | undefined>(undefined);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    ink.current = inkOf(element);
    const chart = new uPlot(
      optionsOf(latest.current, element, () => ink.current),
      emptyData(lines.length),
      element,
    );
    plot.current = chart;
    draw(chart, latest.current);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
  }, [lines.join("\n"), height]);
  useSignalEffect(() => {
    void appearance.version.value;
    if (host.current && plot.current) {
      ink.current = inkOf(host.current);
      plot.current.redraw(false);
    }
  });
  useSignalEffect(() => draw(plot.current, latest.current));
  return <div ref={host} class={`chart ${tone}`} role="img" aria-label={label} data-height={height} />;
}

function draw(plot: uPlot | undefined, { read }: ChartProps): void {
  // Read first, so that the signals are known before there is a plot.
  const { part, from, to } = read();
  if (plot === undefined) return;
  plot.batch(() => {
    plot.setData(part, false);
    plot.setScale("x", { min: from, max: to });
  });
}

function emptyData(lines: number): SeriesPart {
  return [[], ...Array.from({ length: lines }, () => [])];
}

function optionsOf(props: ChartProps, element: HTMLElement, ink: () => Ink | undefined): uPlot.Options {
  const { top, format, lines, height, sync, steps } = props;
  const axis: uPlot.Axis = {
    stroke: () => ink()?.muted ?? "gray",
    font: "11px system-ui, sans-serif",
    grid: { show: false },
    ticks: { show: false },
  };
  const grid = { stroke: () => ink()?.line ?? "gray", width: 1 };
  return {
    width: Math.max(element.clientWidth, 50),
    height,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 5 }, drag: { x: true, y: false, setScale: true }, ...syncOf(sync) },
    scales: { x: { time: true }, y: { range: (_plot, _min, max) => [0, top ?? roof(max)] } },
    axes: [
      { ...axis, size: 22, space: labelSpace, values: (_plot, splits) => splits.map(clock) },
      { ...axis, size: 50, gap: 4, space: 34, grid, values: (_plot, splits) => splits.map(format), ...stepsOf(steps) },
    ],
    series: [{}, ...lines.map((name, at) => seriesOf(name, at === 0, ink))],
    hooks: { setSelect: [({ select }) => select.width > 0 && props.onZoom?.()] },
  };
}

function stepsOf(steps: readonly number[] | undefined): { incrs?: number[] } {
  return steps === undefined ? {} : { incrs: [...steps] };
}

function syncOf(key: string | undefined): { sync?: { key: string } } {
  return key === undefined ? {} : { sync: { key } };
}

function seriesOf(label: string, isFirst: boolean, ink: () => Ink | undefined): uPlot.Series {
  return {
    label,
    stroke: () => (isFirst ? ink()?.strong : ink()?.faint) ?? "gray",
    width: isFirst ? 1.5 : 1,
    points: { show: false },
    ...(isFirst && { fill: (plot: uPlot) => gradientOf(plot, ink()) }),
  };
}

function gradientOf(plot: uPlot, ink: Ink | undefined): CanvasGradient | string {
  const { top, height } = plot.bbox;
  if (!ink || !Number.isFinite(top + height) || height === 0) return "transparent";
  const gradient = plot.ctx.createLinearGradient(0, top, 0, top + height);
  gradient.addColorStop(0, ink.wash);
  gradient.addColorStop(1, ink.clear);
  return gradient;
}

/** Seconds take more room in a label. */
function labelSpace(_plot: uPlot, _axis: number, from: number, to: number): number {
  return to - from <= 60 ? 64 : 44;
}

/** `23:16`, and with seconds where a minute is not whole. */
function clock(seconds: number): string {
  const at = new Date(seconds * 1000);
  const parts = [at.getHours(), at.getMinutes(), ...(at.getSeconds() === 0 ? [] : [at.getSeconds()])];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** A top with a little room above the highest value. */
function roof(max: number | null): number {
  return max === null || max <= 0 ? 1 : max * 1.15;
}
