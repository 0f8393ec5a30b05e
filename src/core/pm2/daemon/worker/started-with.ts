import { parseEnviron } from "../../../files/proc.ts";
import { readIfReadable } from "../../../files/system.ts";

/**
 * Returns what the system gave the process at its start: its variables, or in cluster mode the record that PM2 hands over as
 * one variable. `undefined` if it cannot be read, or if the pid now belongs to another process.
 * @see CONTRACT section 13, "values"
 */
export function startedWith(pid: number | undefined, uniqueId: unknown): Readonly<Record<string, unknown>> | undefined {
  if (pid === undefined || pid <= 0 || typeof uniqueId !== "string") return undefined;
  const variables = parseEnviron(readIfReadable(`/proc/${pid}/environ`));
  const handedOver = variables["pm2_env"];
  const given = handedOver === undefined ? variables : parseRecord(handedOver);
  return given?.["unique_id"] === uniqueId ? given : undefined;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
