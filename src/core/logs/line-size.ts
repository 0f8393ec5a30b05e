import type { LogLine } from "../api/logs.ts";

const REST = 200;

/** Approximately, in bytes. */
export function lineSize({ text }: Pick<LogLine, "text">): number {
  return text.length + REST;
}
