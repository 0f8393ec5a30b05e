const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `undefined` for another text. @param form captures the digits and the unit */
export function millisecondsOf(text: string, form: RegExp): number | undefined {
  const [, digits, unit = ""] = form.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] ?? 0);
}
