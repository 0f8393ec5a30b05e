import type { UniqueProcess } from "../files/port-process-identity.ts";

export function isSameProcess(one: UniqueProcess, other: UniqueProcess): boolean {
  return (
    one.pid === other.pid &&
    one.startTime === other.startTime &&
    one.bootId === other.bootId &&
    one.pidNamespace === other.pidNamespace
  );
}
