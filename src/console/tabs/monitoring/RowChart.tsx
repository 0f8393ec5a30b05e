import type { JSX } from "preact";
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
  return (
    <Chart
      {...props}
      lines={history.lineNames(props.lines)}
      read={() => ({ ...history.chartData(row, columns), marks: events.marks(app) })}
      cursor={view.cursor}
      onZoom={(span) => view.zoom(span)}
      onMarks={(marks) => void (events.selected.value = marks)}
    />
  );
}
