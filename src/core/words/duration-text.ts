const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
] as const;

/** `3d 4h`, `12m 5s`, `7s` */
export function renderDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const index = UNITS.findIndex(([, length]) => seconds >= length);
  const largest = UNITS[index];
  if (largest === undefined) return `${seconds}s`;
  const [unit, length] = largest;
  const [nextUnit, nextLength] = UNITS[index + 1] ?? (["s", 1] as const);
  return `${Math.floor(seconds / length)}${unit} ${Math.floor((seconds % length) / nextLength)}${nextUnit}`;
}
