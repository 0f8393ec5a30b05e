import { isPort } from "../words/port.ts";

export function portOf(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^\d{1,5}$/.test(text)) return null;
  const port = Number(text);
  return isPort(port) ? port : null;
}
