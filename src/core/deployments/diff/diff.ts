import { envSpellings } from "../../project/environment.ts";
import { portOf } from "../tcp-ports.ts";
import { type Candidate, isMap } from "../candidate.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Change, Effect, FieldChange, DeploymentsDiff } from "./change.ts";
import { configurationRuns, effectsOf } from "./effects.ts";
import { diffFields, fingerprint } from "./fields.ts";
import { diffInterfaces } from "./interfaces.ts";
import { diffTargets } from "./targets.ts";

const EMPTY: Candidate = {};

/**
 * Says what the way from one deployments document to another means: what comes, goes, changes and is
 * renamed, and which processes that touches. Comments, order and the way of writing are no change;
 * a legacy deploy target is compared as what it migrates to. Both sides are read with the same facts.
 *
 * @param from the old document as plain data, valid or not; an empty map where there is none
 * @param to the new one
 */
export function diffDeployments(from: Candidate, to: Candidate, vocabulary: Vocabulary): DeploymentsDiff {
  const interfaces = diffInterfaces(listOf(from, "interfaces"), listOf(to, "interfaces"), vocabulary);
  const targets = diffTargets(listOf(from, "deployments"), listOf(to, "deployments"), vocabulary);
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

/** Members that this document does not have a section for, kept and told. */
function diffDocument(from: Candidate, to: Candidate): Change[] {
  const fields = diffFields(headOf(from), headOf(to));
  return fields.length === 0 ? [] : [{ section: "document", kind: "changed", fields, effects: [] }];
}

function headOf(document: Candidate): Candidate {
  const { runtimeEnvironment: _e, serviceConfiguration: _c, interfaces: _i, deployments: _d, ...head } = document;
  // A document without a version is taken for one of this version.
  return { ...head, version: head["version"] ?? DOCUMENT_VERSION };
}

/** The selection; two spellings of one environment are the same. */
function diffEnvironment(from: Candidate, to: Candidate, vocabulary: Vocabulary): Change[] {
  const [before, after] = [from["runtimeEnvironment"] ?? undefined, to["runtimeEnvironment"] ?? undefined];
  const isSame = environmentName(before, vocabulary) === environmentName(after, vocabulary);
  if (isSame) return [];
  const fields = diffFields({ runtimeEnvironment: before }, { runtimeEnvironment: after });
  return [{ section: "runtimeEnvironment", kind: kindOf(before, after), fields, effects: [] }];
}

function environmentName(given: unknown, { contract }: Vocabulary): string {
  const name = typeof given === "string" ? envSpellings(contract).get(given.trim().toLowerCase()) : undefined;
  return name ?? fingerprint(given);
}

function diffConfiguration(from: Candidate, to: Candidate, vocabulary: Vocabulary): Change[] {
  const [old, young] = [from["serviceConfiguration"] ?? undefined, to["serviceConfiguration"] ?? undefined];
  const [before, after] = [flat(old), flat(young)];
  const fields = diffFields(before, after);
  if (fields.length === 0 && (old === undefined) === (young === undefined)) return [];
  const kind = kindOf(old, young);
  const effects = configurationEffects(before, after, fields, kind, vocabulary);
  return [{ section: "serviceConfiguration", kind, fields, effects }];
}

/** Where nothing but ports changed, only what listens there is touched. */
function configurationEffects(
  before: Candidate,
  after: Candidate,
  fields: readonly FieldChange[],
  kind: Change["kind"],
  vocabulary: Vocabulary,
): Effect[] {
  const ports = fields.flatMap(({ field }) => (field.startsWith(PORT) ? [field.slice(PORT.length)] : []));
  const runs = (configuration: Candidate): ReturnType<typeof configurationRuns> =>
    ports.length < fields.length
      ? configurationRuns(configuration, vocabulary)
      : ports.flatMap((port) => configurationRuns(configuration, vocabulary, port));
  return effectsOf(kind === "added" ? [] : runs(before), kind === "removed" ? [] : runs(after));
}

const PORT = "ports.";

/** A service configuration with its ports as members of their own; a numeric string reads as its integer. */
function flat(configuration: unknown): Candidate {
  if (!isMap(configuration)) return configuration === undefined ? EMPTY : { value: configuration };
  const { ports, ...rest } = configuration;
  if (!isMap(ports)) return ports === undefined ? rest : { ...rest, ports };
  const flattened = Object.entries(ports).map(([name, given]) => {
    const port = portOf(given);
    return [`${PORT}${name}`, Number.isNaN(port) ? given : port] as const;
  });
  return { ...rest, ...Object.fromEntries(flattened) };
}

function kindOf(before: unknown, after: unknown): Change["kind"] {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

/** The entries of a list; what is no map is told as a value of its own. No list is an empty one. */
function listOf(document: Candidate, section: "interfaces" | "deployments"): Candidate[] {
  const list = document[section];
  if (Array.isArray(list)) return list.map((entry: unknown) => (isMap(entry) ? entry : { value: entry }));
  return list === undefined || list === null ? [] : [{ value: list }];
}
