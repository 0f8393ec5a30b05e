import { useSignal, type Signal } from "@preact/signals";
import type { HTMLAttributes, JSX, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { usePage } from "../console.ts";
import type { Span } from "../data/series.ts";
import { stepTo, stretched } from "./chart/cursor.ts";
import { createPlot, type Plot } from "./chart/plot.ts";
import { readingOf, wordsOf, type Shown } from "./chart/scene.ts";

export interface ChartProps {
  /** What it shows, for who does not see it; the values stand beside it in words. */
  readonly label: string;
  readonly tone: "cpu" | "memory" | "disk";
  /** The names of the lines. */
  readonly lines: readonly string[];
  /** What to draw now; it reads signals, and is asked again when they change. */
  readonly read: () => Shown;
  /** The top of the scale; from the values where it is absent. */
  readonly top?: number;
  readonly format: (value: number) => string;
  /** Distances that lines of the grid may have. */
  readonly steps?: readonly number[];
  readonly height: number;
  /** The moment that is pointed at, in seconds: charts that share it show the same one. */
  readonly cursor: Signal<number | undefined>;
  /** Somebody looks closer, or at all there is again. */
  readonly onZoom: (span: Span | undefined) => void;
}

/** Values over time. The first line is filled, further ones are thin. It is made anew for other lines. */
export function Chart(props: ChartProps): JSX.Element {
  const { label, tone, height, lines, cursor } = props;
  const { appearance } = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const plot = useSignal<Plot | undefined>(undefined);
  const spoken = useSignal("");
  // In the commit: a frame after it would draw on a canvas without colours, because it has left the page.
  useLayoutEffect(() => {
    if (canvas.current === null) return;
    const { top, format, steps, onZoom } = props;
    const read = (): Shown => latest.current.read();
    const { version } = appearance;
    const made = createPlot({ canvas: canvas.current, read, top, format, steps, version, cursor, onZoom });
    plot.value = made;
    return () => made.stop();
  }, [lines.join("\n"), height]);
  const leave = (): void => {
    plot.value?.leave();
    spoken.value = "";
  };
  return (
    <div
      class={`chart ${tone}`}
      // A screen reader hands keys on to an application only.
      role="application"
      aria-roledescription="chart"
      aria-label={label}
      aria-keyshortcuts="ArrowLeft ArrowRight Home End + - Escape"
      tabIndex={0}
      data-height={height}
      onKeyDown={(event) => {
        if (event.key === "Escape") leave();
        if (plot.value) onKey(event, plot.value, props, (words) => void (spoken.value = words));
      }}
      onBlur={leave}
      onDblClick={() => props.onZoom(undefined)}
      {...pointing(plot.value)}
    >
      <canvas ref={canvas} />
      {plot.value && <Readout plot={plot.value} lines={lines} format={props.format} />}
      <span class="hidden" aria-live="polite">
        {spoken}
      </span>
    </div>
  );
}

type ReadoutProps = Pick<ChartProps, "lines" | "format"> & { readonly plot: Plot };

/** Time and values of the moment that is pointed at, in the corner that is farther away from it. */
function Readout({ plot: { scene, at }, lines, format }: ReadoutProps): JSX.Element | null {
  if (scene.value === undefined || at.value === undefined) return null;
  const { time, values } = readingOf(scene.value, at.value, lines, format);
  const { from, to } = scene.value.scale.span;
  const isLate = (scene.value.times[at.value] ?? 0) > (from + to) / 2;
  return (
    <p class={isLate ? "readout" : "readout end"} aria-hidden="true">
      {time}
      {values.map(({ name, value }) => (
        <span key={name}>
          {name} <strong>{value}</strong>
        </span>
      ))}
    </p>
  );
}

/** The pointer points; dragged along, it chooses what to look closer at. Up and down a finger moves the page. */
function pointing(plot: Plot | undefined): HTMLAttributes<HTMLDivElement> {
  if (plot === undefined) return {};
  return {
    onPointerDown(event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      plot.pointAt(placeOf(event));
      plot.grab(placeOf(event));
    },
    onPointerMove: (event) => plot.pointAt(placeOf(event)),
    onPointerUp: () => plot.drop(true),
    onPointerCancel() {
      plot.drop(false);
      plot.leave();
    },
    onPointerLeave({ pointerType }) {
      // What a finger pointed at stays to be read until the next touch elsewhere.
      if (pointerType !== "touch") plot.leave();
    },
  };
}

function placeOf({ clientX, currentTarget }: TargetedPointerEvent<HTMLDivElement>): number {
  return clientX - currentTarget.getBoundingClientRect().left;
}

/** Goes from sample to sample, looks closer and steps back; where it stands is told. */
function onKey(
  event: KeyboardEvent,
  plot: Plot,
  { lines, format, onZoom }: ChartProps,
  tell: (words: string) => void,
): void {
  const [scene, at] = [plot.scene.value, plot.at.value];
  if (event.ctrlKey || event.metaKey || event.altKey || scene === undefined) return;
  const { times, scale } = scene;
  const moment = times[at ?? Number.NaN] ?? scale.span.to;
  const next = stepTo(event.key, times, scale.span, at);
  if (next !== undefined) {
    plot.pointTo(times[next] ?? moment);
    tell(wordsOf(readingOf(scene, next, lines, format)));
  } else if (event.key === "+") onZoom(stretched(scale.span, moment, 0.5));
  else if (event.key === "-") onZoom(stretched(scale.span, moment, 2));
  else if (event.key === "Escape") onZoom(undefined);
  else return;
  event.preventDefault();
}
