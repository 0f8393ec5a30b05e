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
