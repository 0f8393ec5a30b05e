const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

export function roundToTenths(value: number): number {
  return Math.round(value * 10) / 10;
}

export const MAX_PORT = 65_535;

export function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_PORT;
}

export function parsePort(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^\d{1,5}$/.test(text)) return null;
  const port = Number(text);
  return isPort(port) ? port : null;
}
