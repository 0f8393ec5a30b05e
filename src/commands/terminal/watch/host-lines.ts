import type { HostMetrics } from "../../../core/api/metrics.ts";
import type { Paint } from "../../../core/index.ts";
import { bytes, percent } from "../metrics.ts";
import { bar, sparkline } from "./bars.ts";
import { fit } from "../fit.ts";

const LABEL = 7;
const VALUE = 8;
const HIGH = 75;
const FULL = 90;

/** The most important lines come first, because a small window shows only these. */
export function hostLines(
  { cpu, memory, disk }: HostMetrics,
  history: readonly (number | null)[],
  width: number,
  paint: Paint,
): string[] {
  const line = (label: string, value: number | null, note: string): string =>
    meter({ label, value, note, width, paint });
  const load = cpu.loadAvg.one === null ? "" : `load ${cpu.loadAvg.one} ${cpu.loadAvg.five} ${cpu.loadAvg.fifteen}`;
  const used = `${bytes(memory.usedBytes)} of ${bytes(memory.totalBytes)}`;
  return [
    line("CPU", cpu.usagePercent, load),
    line("Memory", memory.usedPercent, used),
    `${paint.bold(fit("Trend", LABEL))} ${paint.cyan(fit(sparkline(history, width - LABEL - 1), width - LABEL - 1))}`,
    `${paint.bold(fit("Cores", LABEL))} ${paint.cyan(fit(sparkline(cpu.perCore, width - LABEL - 1), width - LABEL - 1))}`,
    ...disk.map((entry) =>
      "code" in entry
        ? fit(`Disk    ${entry.path}: ${entry.error}`, width)
        : line("Disk", entry.usedPercent, `${entry.path}  ${bytes(entry.availableBytes)} left`),
    ),
  ];
}

interface Meter {
  readonly label: string;
  readonly value: number | null;
  readonly note: string;
  readonly width: number;
  readonly paint: Paint;
}

function meter({ label, value, note, width, paint }: Meter): string {
  const barWidth = Math.max(4, Math.floor((width - LABEL - VALUE - 3) / 2));
  const noteWidth = Math.max(0, width - LABEL - VALUE - barWidth - 3);
  const colour = value === null || value < HIGH ? paint.green : value < FULL ? paint.yellow : paint.red;
  const parts = [
    paint.bold(fit(label, LABEL)),
    colour(bar(value, barWidth)),
    fit(percent(value), VALUE, "right"),
    fit(note, noteWidth),
  ];
  return parts.join(" ");
}
