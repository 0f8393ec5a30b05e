import type { LogLine } from "../api/logs.ts";

/** The size of the other members of a line. */
const REST = 200;

/** The approximate number of bytes that a line takes in a response. */
export function lineSize({ text }: Pick<LogLine, "text">): number {
  return text.length + REST;
}
