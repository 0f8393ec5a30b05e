const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

export function roundToTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
