import { useSignal, type Signal } from "@preact/signals";
import type { HTMLAttributes, JSX, RefObject, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { usePage } from "../console.ts";
import type { Span } from "../data/series.ts";
import { sampleForKey, zoomSpan, Plot } from "./chart/plot.ts";
import { readingOf, readingText, type Mark, type ChartData } from "./chart/scene.ts";

export interface ChartProps {
  readonly label: string;
  readonly tone: "cpu" | "memory" | "disk";
  readonly lines: readonly string[];
  /** Reads signals, so it runs again when they change. */
  readonly read: () => ChartData;
  readonly top?: number;
  readonly format: (value: number) => string;
  readonly steps?: readonly number[];
  readonly height: number;
  /** In seconds. Charts that share the signal show the same moment. */
  readonly cursor: Signal<number | undefined>;
  readonly onZoom: (span: Span | undefined) => void;
  readonly onMarks: (marks: readonly Mark[]) => unknown;
}

function usePlot(props: ChartProps): {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly plot: Plot | undefined;
} {
  const { lines, height, cursor } = props;
  const { version } = usePage().appearance;
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const plot = useSignal<Plot | undefined>(undefined);
  // A frame later, a canvas that has left the page would be drawn without colours.
  useLayoutEffect(() => {
    if (canvas.current === null) return;
    const { top, format, steps, onZoom, onMarks } = props;
    const read = (): ChartData => latest.current.read();
    const made = new Plot({ canvas: canvas.current, read, top, format, steps, version, cursor, onZoom, onMarks });
    plot.value = made;
    return () => made.stop();
  }, [lines.join("\n"), height]);
  return { canvas, plot: plot.value };
}

export function Chart(props: ChartProps): JSX.Element {
  const { label, tone, height, lines } = props;
  const { canvas, plot } = usePlot(props);
  const spoken = useSignal("");
  const leave = (): void => {
    plot?.leave();
    spoken.value = "";
  };
  return (
    <div
      class={`chart ${tone}`}
      // A screen reader passes keys only to the role `application`.
      role="application"
      aria-roledescription="chart"
      aria-label={label}
      aria-keyshortcuts="ArrowLeft ArrowRight Home End Enter + - Escape"
      tabIndex={0}
      data-height={height}
      onKeyDown={(event) => {
        if (event.key === "Escape") leave();
        if (event.key === "Enter") plot?.choose();
        if (plot) onKey(event, plot, props, (text) => void (spoken.value = text));
      }}
      onBlur={leave}
      onDblClick={() => props.onZoom(undefined)}
      {...pointing(plot)}
    >
      <canvas ref={canvas} />
      {plot && <Readout plot={plot} lines={lines} format={props.format} />}
      <span class="hidden" aria-live="polite">
        {spoken}
      </span>
    </div>
  );
}

type ReadoutProps = Pick<ChartProps, "lines" | "format"> & { readonly plot: Plot };

function Readout({ plot: { scene, at, marks }, lines, format }: ReadoutProps): JSX.Element | null {
  if (scene.value === undefined || at.value === undefined) return null;
  const { time, values, events } = readingOf(scene.value, at.value, lines, format, marks.value);
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
      {events.map((text) => (
        <span key={text} class="happened">
          {text}
        </span>
      ))}
    </p>
  );
}

/** A horizontal drag zooms; a vertical touch scrolls the page. */
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
      // After a touch, the values stay until the next touch elsewhere.
      if (pointerType !== "touch") plot.leave();
    },
  };
}

function placeOf({ clientX, currentTarget }: TargetedPointerEvent<HTMLDivElement>): number {
  return clientX - currentTarget.getBoundingClientRect().left;
}

function onKey(
  event: KeyboardEvent,
  plot: Plot,
  { lines, format, onZoom }: ChartProps,
  speak: (text: string) => void,
): void {
  const [scene, at] = [plot.scene.value, plot.at.value];
  if (event.ctrlKey || event.metaKey || event.altKey || scene === undefined) return;
  const { times, scale } = scene;
  const moment = times[at ?? Number.NaN] ?? scale.span.to;
  const next = sampleForKey(event.key, times, scale.span, at);
  if (next !== undefined) {
    plot.pointTo(times[next] ?? moment);
    speak(readingText(readingOf(scene, next, lines, format, plot.marks.value)));
  } else if (event.key === "+") onZoom(zoomSpan(scale.span, moment, 0.5));
  else if (event.key === "-") onZoom(zoomSpan(scale.span, moment, 2));
  else if (event.key === "Escape") onZoom(undefined);
  else return;
  event.preventDefault();
}
