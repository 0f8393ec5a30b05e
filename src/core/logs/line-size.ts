import type { LogLine } from "../api/logs.ts";

/** A line has other members besides its text. */
const REST = 200;

/** About the bytes that a line takes in an answer. */
export function lineSize({ text }: Pick<LogLine, "text">): number {
  return text.length + REST;
}
