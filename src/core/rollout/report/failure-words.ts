import type { ReleaseFailure } from "../../api/rollout.ts";

/** The lines that follow the reason of a failure. */
export function failureLines({ errorLines, port }: Pick<ReleaseFailure, "errorLines" | "port">): string[] {
  const [first, ...rest] = errorLines;
  const held = port && `Port ${port.port} is taken by ${port.app ?? port.program}, pid ${port.pid}.`;
  return [...(first === undefined ? [] : [`Its error log: ${first}`, ...rest]), ...(held ? [held] : [])];
}
