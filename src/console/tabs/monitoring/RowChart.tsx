import type { JSX } from "preact";
import { usePage } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import type { Mark } from "../../ui/chart/scene.ts";
import { Chart, type ChartProps } from "../../ui/Chart.tsx";
import type { Monitor } from "./monitor.ts";

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
