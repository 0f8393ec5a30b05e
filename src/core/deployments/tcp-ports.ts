import type { Candidate } from "./candidate.ts";
import { isRecord } from "../words/record.ts";
import { entryOf, type Vocabulary } from "./vocabulary.ts";

export interface ActivePort {
  readonly name: string;
  readonly given: unknown;
  /** A numeric string from a form counts as a number. */
  readonly value: number;
}

/** Empty if the matrix does not have the service kind. */
export function activePorts({ serviceKind, ports }: Candidate, { matrix }: Vocabulary): ActivePort[] {
  if (ports !== undefined && !isRecord(ports)) return [];
  const names = entryOf(matrix.serviceKinds, serviceKind)?.ports ?? [];
  return names.map((name) => {
    const given = ports && Object.hasOwn(ports, name) ? ports[name] : undefined;
    return { name, given, value: portOf(given) };
  });
}

export function portOf(given: unknown): number {
  if (typeof given === "number") return given;
  return typeof given === "string" && /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
}
