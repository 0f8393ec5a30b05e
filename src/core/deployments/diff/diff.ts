import { envSpellings } from "../../project/resolve.ts";
import { portNumber } from "../tcp-ports.ts";
import type { Candidate } from "../file.ts";
import { isRecord } from "../../words/record.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import type { Vocabulary } from "../vocabulary.ts";
import {
  type Change,
  type Effect,
  type FieldChange,
  type DeploymentsDiff,
  changeKind,
  diffFields,
  fingerprint,
} from "./change.ts";
import { configurationWorkloads, compareWorkloads, type Workload } from "./pair.ts";
import { diffInterfaces, diffTargets } from "./targets.ts";

/**
 * Comments, order and style do not matter. Legacy targets are migrated first.
 * @param from plain data, valid or not; an empty map if there is no old document
 */
export function diffDeployments(from: Candidate, to: Candidate, vocabulary: Vocabulary): DeploymentsDiff {
  const interfaces = diffInterfaces(listEntries(from, "interfaces"), listEntries(to, "interfaces"), vocabulary);
  const targets = diffTargets(listEntries(from, "deployments"), listEntries(to, "deployments"), vocabulary);
  return {
    changes: [
      ...diffDocument(from, to),
      ...diffEnvironment(from, to, vocabulary),
      ...diffConfiguration(from, to, vocabulary),
      ...interfaces.changes,
      ...targets.changes,
    ],
    notes: [...interfaces.notes, ...targets.notes],
  };
}

function diffDocument(from: Candidate, to: Candidate): Change[] {
  const fields = diffFields(documentHead(from), documentHead(to));
  return fields.length === 0 ? [] : [{ section: "document", kind: "changed", fields, effects: [] }];
}

function documentHead(document: Candidate): Candidate {
  const { runtimeEnvironment: _e, serviceConfiguration: _c, interfaces: _i, deployments: _d, ...head } = document;
  return { ...head, version: head["version"] ?? DOCUMENT_VERSION };
}

function diffEnvironment(from: Candidate, to: Candidate, vocabulary: Vocabulary): Change[] {
  const [before, after] = [from["runtimeEnvironment"] ?? undefined, to["runtimeEnvironment"] ?? undefined];
  const isSame = environmentName(before, vocabulary) === environmentName(after, vocabulary);
  if (isSame) return [];
  const fields = diffFields({ runtimeEnvironment: before }, { runtimeEnvironment: after });
  return [{ section: "runtimeEnvironment", kind: changeKind(before, after), fields, effects: [] }];
}

function environmentName(value: unknown, { contract }: Vocabulary): string {
  const name = typeof value === "string" ? envSpellings(contract).get(value.trim().toLowerCase()) : undefined;
  return name ?? fingerprint(value);
}

function diffConfiguration(from: Candidate, to: Candidate, vocabulary: Vocabulary): Change[] {
  const [old, next] = [from["serviceConfiguration"] ?? undefined, to["serviceConfiguration"] ?? undefined];
  const [before, after] = [flattenPorts(old), flattenPorts(next)];
  const fields = diffFields(before, after);
  if (fields.length === 0 && (old === undefined) === (next === undefined)) return [];
  const kind = changeKind(old, next);
  const effects = configurationEffects(before, after, fields, kind, vocabulary);
  return [{ section: "serviceConfiguration", kind, fields, effects }];
}

/** A changed port concerns only the processes that listen on it. */
function configurationEffects(
  before: Candidate,
  after: Candidate,
  fields: readonly FieldChange[],
  kind: Change["kind"],
  vocabulary: Vocabulary,
): Effect[] {
  const ports = fields.flatMap(({ field }) => (field.startsWith(PORT) ? [field.slice(PORT.length)] : []));
  const workloads = (configuration: Candidate): Workload[] =>
    ports.length < fields.length
      ? configurationWorkloads(configuration, vocabulary)
      : ports.flatMap((port) => configurationWorkloads(configuration, vocabulary, port));
  return compareWorkloads(kind === "added" ? [] : workloads(before), kind === "removed" ? [] : workloads(after));
}

const PORT = "ports.";

function flattenPorts(configuration: unknown): Candidate {
  if (!isRecord(configuration)) return configuration === undefined ? {} : { value: configuration };
  const { ports, ...rest } = configuration;
  if (!isRecord(ports)) return ports === undefined ? rest : { ...rest, ports };
  const flattened = Object.entries(ports).map(([name, value]) => {
    const port = portNumber(value);
    return [`${PORT}${name}`, Number.isNaN(port) ? value : port] as const;
  });
  return { ...rest, ...Object.fromEntries(flattened) };
}

function listEntries(document: Candidate, section: "interfaces" | "deployments"): Candidate[] {
  const list = document[section];
  if (Array.isArray(list)) return list.map((entry: unknown) => (isRecord(entry) ? entry : { value: entry }));
  return list === undefined || list === null ? [] : [{ value: list }];
}
