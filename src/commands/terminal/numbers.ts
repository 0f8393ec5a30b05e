import { bytesText } from "../../core/index.ts";

export function formatPercent(value: number | null): string {
  return value === null ? "-" : `${value.toFixed(1)} %`;
}

export function formatBytes(value: number | null): string {
  return value === null ? "-" : bytesText(value);
}

const LEVELS = "▁▂▃▄▅▆▇█";
const FULL = "█";
const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

export function renderBar(percent: number | null, width: number): string {
  const eighths = Math.round((clamp(percent ?? 0) / 100) * width * 8);
  const text = FULL.repeat(eighths >> 3) + (PARTS[eighths & 7] ?? "");
  return text + "·".repeat(width - text.length);
}

export function renderSparkline(values: readonly (number | null)[], width: number): string {
  return values
    .slice(Math.max(0, values.length - width))
    .map((value) => (value === null ? " " : (LEVELS[Math.min(7, Math.floor(clamp(value) / 12.5))] ?? " ")))
    .join("");
}

function clamp(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}
