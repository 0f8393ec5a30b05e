import type { Candidate } from "./file.ts";
import { isRecord } from "../words/record.ts";
import { lookup, type Vocabulary } from "./vocabulary.ts";

export interface ActivePort {
  readonly name: string;
  readonly declared: unknown;
  /** A numeric string from a form counts as a number. */
  readonly value: number;
}

export function activePorts({ serviceKind, ports }: Candidate, { matrix }: Vocabulary): ActivePort[] {
  if (ports !== undefined && !isRecord(ports)) return [];
  const names = lookup(matrix.serviceKinds, serviceKind)?.ports ?? [];
  return names.map((name) => {
    const declared = ports && Object.hasOwn(ports, name) ? ports[name] : undefined;
    return { name, declared, value: portNumber(declared) };
  });
}

export function portNumber(declared: unknown): number {
  if (typeof declared === "number") return declared;
  return typeof declared === "string" && /^\d{1,5}$/.test(declared) ? Number(declared) : Number.NaN;
}
