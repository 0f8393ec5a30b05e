import type { JSX } from "preact";
import { formatNumber, formatShare, formatTime } from "../../data/format.ts";
import { StatusLine } from "../../ui/Problem.tsx";
import { DISK } from "./live-samples.ts";
import { meters, tones, type Tone } from "./meters.tsx";
import type { Monitor } from "./monitor.ts";
import { rangeText } from "./view.ts";
import { usePage } from "../../console.ts";
import type { Mark } from "../../ui/chart/scene.ts";
import { Chart, type ChartProps } from "../../ui/Chart.tsx";

export function HostCharts({ monitor }: { monitor: Monitor }): JSX.Element {
  if (monitor.feed.displayed.value === undefined) {
    return (
      <>
        <StatusLine tone="info">Waiting for the first sample</StatusLine>
        <div class="host-cards skeleton" aria-hidden="true">
          {tones.map((tone) => (
            <i key={tone} class="card" />
          ))}
        </div>
      </>
    );
  }
  return (
    <div class="host-cards">
      {tones.map((tone) => {
        const props = { tone, monitor };
        return (
          <section key={tone} class="card host" aria-label={meters[tone].title}>
            <div class="host-head">
              <Name tone={tone} />
              <Now {...props} />
              <Facts {...props} />
            </div>
            <HostChart {...props} />
          </section>
        );
      })}
    </div>
  );
}

interface HostProps {
  readonly tone: Tone;
  readonly monitor: Monitor;
}

function Name({ tone }: { tone: Tone }): JSX.Element {
  return (
    <span class={`host-name ${tone}`}>
      <i aria-hidden="true" />
      {meters[tone].title}
    </span>
  );
}

function Facts({ tone, monitor }: HostProps): JSX.Element | null {
  const host = monitor.feed.displayed.value?.host;
  return host ? <span class="host-facts">{meters[tone].facts(host)}</span> : null;
}

function Now({ tone, monitor }: HostProps): JSX.Element {
  const host = monitor.feed.displayed.value?.host;
  return (
    <span class="now">
      {formatNumber(host && meters[tone].percent(host), 1)}
      <small>%</small>
    </span>
  );
}

function HostChart({ tone, monitor }: HostProps): JSX.Element {
  const { isZoomed, range } = monitor.view;
  const { title, Foot } = meters[tone];
  const lines = linesOf(tone, monitor);
  return (
    <>
      <RowChart
        monitor={monitor}
        row=""
        label={`${title} of the host in percent, ${isZoomed.value ? "over a part of " : "over "}${rangeText(range.value)}`}
        tone={tone}
        lines={lines.map(([name]) => name)}
        columns={lines.map(([, column]) => column)}
        top={100}
        format={formatShare}
        height={66}
      />
      <div class="host-bottom">
        <Foot monitor={monitor} />
      </div>
    </>
  );
}

function linesOf(tone: Tone, { feed, showsCores }: Monitor): (readonly [name: string, column: number])[] {
  const { title, column } = meters[tone];
  const { coreCount, diskCount } = feed.samples;
  if (tone === "disk") {
    const disks = feed.displayed.value?.host.disk ?? [];
    return Array.from({ length: Math.max(diskCount, 1) }, (_, at) => [disks[at]?.path ?? "Disk", DISK + at]);
  }
  const cores = tone === "cpu" && showsCores.value ? coreCount : 0;
  return [
    [title, column],
    ...Array.from({ length: cores }, (_, at) => [`Core ${at + 1}`, DISK + diskCount + at] as const),
  ];
}

interface RowChartProps extends Pick<ChartProps, "label" | "tone" | "lines" | "format" | "steps" | "top" | "height"> {
  readonly monitor: Monitor;
  /** The key of a row; `""` is the host. */
  readonly row: string;
  readonly columns: readonly number[];
  /** Marks the events of this app only. */
  readonly app?: string;
}

/** A chart of a row over the span that all charts of the tab show, with the events as marks. */
export function RowChart({ monitor, row, columns, app, ...props }: RowChartProps): JSX.Element {
  const { history, view, events } = monitor;
  const { router } = usePage();
  return (
    <Chart
      {...props}
      lines={history.lineNames(props.lines)}
      read={() => ({ ...history.chartData(row, columns), marks: events.marks(app) })}
      cursor={view.cursor}
      onZoom={(span) => view.zoom(span)}
      onMarks={(marks) => marks.length > 0 && (location.hash = router.href("activity", ["find", wordsOf(marks, app)]))}
    />
  );
}

/** The words that find these marks on Activity: what their times have in common. */
function wordsOf(marks: readonly Mark[], app = ""): string {
  const times = marks.map(({ time }) => formatTime(time * 1000)).toSorted();
  const [first = "", last = ""] = [times[0], times.at(-1)];
  const end = first.split("").findIndex((letter, at) => letter !== last[at]);
  return `${end < 0 ? first : first.slice(0, end)} ${app}`.trim();
}
