import type { Change } from "../../yaml/splice/change.ts";
import type { Candidate } from "../candidate.ts";
import { isRecord } from "../../words/record.ts";
import { fieldsOf } from "../shape.ts";
import { serviceConfigurationIssues } from "../validate.ts";
import { portNames, type Vocabulary } from "../vocabulary.ts";
import { refuseUnknownFields, unknownKey } from "./clear.ts";
import {
  changedKeys,
  entryChanges,
  refuseIssues,
  shapeRefusal,
  splitKnown,
  documentMap,
  type DocumentEdit,
} from "./edit.ts";

const SECTION = "serviceConfiguration";
const PORT = "ports.";

/** A port is named `ports.rest`. The validator refuses what is not a number. */
export function setConfiguration(
  document: unknown,
  asked: { readonly values: Readonly<Record<string, string>>; readonly clear: readonly string[] },
  vocabulary: Vocabulary,
): DocumentEdit {
  const before = mapIn(documentMap(document), SECTION, [SECTION]);
  const ports = mapIn(before, "ports", [SECTION, "ports"]);
  const known = [...fieldsOf(SECTION), ...Object.keys(ports).map((name) => PORT + name), "ports"];
  refuseUnknownFields(asked.clear, before, known, [SECTION]);
  refuseUnknownValues(asked.values, before, vocabulary);
  const { entry, nextPorts } = changedConfiguration(before, asked);
  const keys = [
    ...changedKeys({ ...before, ports: undefined }, { ...entry, ports: undefined }),
    ...changedKeys(ports, nextPorts ?? {}).map((name) => PORT + name),
  ];
  if (keys.length === 0) return { changes: [], target: SECTION, keys, entry: before };
  const { bad, left } = splitKnown(serviceConfigurationIssues(entry, vocabulary), before);
  refuseIssues(bad, []);
  return { changes: configurationChanges(document, before, entry, ports), target: SECTION, keys, before, entry, left };
}

function namesPorts(key: string): boolean {
  return key === "ports" || key.startsWith(PORT);
}

function refuseUnknownValues(
  values: Readonly<Record<string, string>>,
  before: Candidate,
  { matrix }: Vocabulary,
): void {
  const accepted = [...fieldsOf(SECTION), ...portNames(matrix).map((name) => PORT + name)];
  const unknown = Object.keys(values).filter((key) => !accepted.includes(key));
  const refused = unknown.filter((key) => namesPorts(key) || !Object.hasOwn(before, key));
  refuseIssues(
    refused.map((key) => unknownKey(key, "set", accepted)),
    [SECTION],
  );
}

/** Ports that the service kind does not use stay. */
export function changedConfiguration(
  before: Candidate,
  { values, clear }: { readonly values: Readonly<Record<string, string>>; readonly clear: readonly string[] },
): { readonly entry: Candidate; readonly nextPorts?: Candidate } {
  const ports = isRecord(before["ports"]) ? before["ports"] : {};
  const nextPorts = merged(ports, part(values, true), clear, PORT);
  const { ports: _, ...fields } = merged(before, part(values, false), clear, "");
  const portsGo = clear.includes("ports") || (before["ports"] === undefined && Object.keys(nextPorts).length === 0);
  return portsGo ? { entry: fields } : { entry: { ...fields, ports: nextPorts }, nextPorts };
}

export function configurationChanges(
  document: unknown,
  before: Candidate,
  after: Candidate,
  ports: Candidate,
): Change[] {
  if (documentMap(document)[SECTION] === undefined || documentMap(document)[SECTION] === null)
    return [{ kind: "set", path: [SECTION], value: after }];
  const order = [...fieldsOf(SECTION).filter((field) => field !== "staticAssetsPath"), "staticAssetsPath", "ports"];
  const isNested = isRecord(before["ports"]) && isRecord(after["ports"]);
  if (!isNested) return entryChanges([SECTION], before, after, order);
  const nested = entryChanges([SECTION, "ports"], ports, after["ports"] as Candidate, ["rest", "websocket", "grpc"]);
  const { ports: _before, ...others } = before;
  const { ports: _after, ...next } = after;
  return [...entryChanges([SECTION], others, next, order), ...nested];
}

function part(values: Readonly<Record<string, string>>, isOfPorts: boolean): Record<string, unknown> {
  const entries = Object.entries(values).filter(([key]) => key.startsWith(PORT) === isOfPorts);
  if (!isOfPorts) return Object.fromEntries(entries);
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(PORT.length), numberIn(value)]));
}

function numberIn(value: string): unknown {
  return /^(?:0|[1-9]\d{0,8})$/.test(value.trim()) ? Number(value) : value;
}

function merged(before: Candidate, values: Candidate, clear: readonly string[], prefix: string): Candidate {
  const kept = Object.entries(before).filter(([key]) => !clear.includes(prefix + key));
  return { ...Object.fromEntries(kept), ...values };
}

function mapIn(parent: Candidate, key: string, path: readonly string[]): Candidate {
  const value = parent[key] ?? {};
  if (isRecord(value)) return value;
  throw shapeRefusal(path, "a map", value);
}
