export function formatPercent(value: number | null): string {
  return value === null ? "-" : `${value.toFixed(1)} %`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function formatBytes(value: number | null): string {
  if (value === null) return "-";
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  return `${(value / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
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
