import type { HostMetrics } from "../../../core/api/metrics.ts";
import type { Paint } from "../../../core/index.ts";
import { formatBytes, formatPercent } from "../metrics.ts";
import { renderBar, renderSparkline } from "./bars.ts";
import { fit } from "../fit.ts";

const LABEL_WIDTH = 7;
const VALUE_WIDTH = 8;
const HIGH_PERCENT = 75;
const CRITICAL_PERCENT = 90;

/** The most important lines come first, because a small window shows only these. */
export function hostLines(
  { cpu, memory, disk }: HostMetrics,
  history: readonly (number | null)[],
  width: number,
  paint: Paint,
): string[] {
  const line = (label: string, value: number | null, note: string): string =>
    renderMeter({ label, value, note, width, paint });
  const load = cpu.loadAvg.one === null ? "" : `load ${cpu.loadAvg.one} ${cpu.loadAvg.five} ${cpu.loadAvg.fifteen}`;
  const used = `${formatBytes(memory.usedBytes)} of ${formatBytes(memory.totalBytes)}`;
  return [
    line("CPU", cpu.usagePercent, load),
    line("Memory", memory.usedPercent, used),
    `${paint.bold(fit("Trend", LABEL_WIDTH))} ${paint.cyan(fit(renderSparkline(history, width - LABEL_WIDTH - 1), width - LABEL_WIDTH - 1))}`,
    `${paint.bold(fit("Cores", LABEL_WIDTH))} ${paint.cyan(fit(renderSparkline(cpu.perCore, width - LABEL_WIDTH - 1), width - LABEL_WIDTH - 1))}`,
    ...disk.map((entry) =>
      "code" in entry
        ? fit(`Disk    ${entry.path}: ${entry.error}`, width)
        : line("Disk", entry.usedPercent, `${entry.path}  ${formatBytes(entry.availableBytes)} left`),
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

function renderMeter({ label, value, note, width, paint }: Meter): string {
  const barWidth = Math.max(4, Math.floor((width - LABEL_WIDTH - VALUE_WIDTH - 3) / 2));
  const noteWidth = Math.max(0, width - LABEL_WIDTH - VALUE_WIDTH - barWidth - 3);
  const colour =
    value === null || value < HIGH_PERCENT ? paint.green : value < CRITICAL_PERCENT ? paint.yellow : paint.red;
  const parts = [
    paint.bold(fit(label, LABEL_WIDTH)),
    colour(renderBar(value, barWidth)),
    fit(formatPercent(value), VALUE_WIDTH, "right"),
    fit(note, noteWidth),
  ];
  return parts.join(" ");
}
