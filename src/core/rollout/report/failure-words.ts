import type { ReleaseFailure } from "../../api/rollout.ts";
import { holderText } from "../../running/port-holders.ts";

/** The lines that follow the reason of a failure. */
export function failureLines({ errorLines, port }: Pick<ReleaseFailure, "errorLines" | "port">): string[] {
  const [first, ...rest] = errorLines;
  const held = port && `Port ${port.port} is taken by ${holderText(port)}.`;
  return [...(first === undefined ? [] : [`Its error log: ${first}`, ...rest]), ...(held ? [held] : [])];
}
