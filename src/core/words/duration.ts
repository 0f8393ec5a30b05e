const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `undefined` for another text. @param form captures the digits and the unit */
export function parseDuration(text: string, form: RegExp): number | undefined {
  const [, digits, unit = ""] = form.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (MILLISECONDS[unit] ?? 0);
}

const SECONDS = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
] as const;

/** `3d 4h`, `12m 5s`, `7s` */
export function renderDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const index = SECONDS.findIndex(([, length]) => seconds >= length);
  const largest = SECONDS[index];
  if (largest === undefined) return `${seconds}s`;
  const [unit, length] = largest;
  const [nextUnit, nextLength] = SECONDS[index + 1] ?? (["s", 1] as const);
  return `${Math.floor(seconds / length)}${unit} ${Math.floor((seconds % length) / nextLength)}${nextUnit}`;
}
