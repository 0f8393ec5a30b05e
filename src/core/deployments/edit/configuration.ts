import type { Change } from "../../yaml/splice/change.ts";
import { type Candidate, portNames, type Vocabulary } from "../file.ts";
import { isRecord } from "../../words/record.ts";
import { fieldNames, type ListSection, targetDefaults } from "../shape.ts";
import { serviceConfigurationIssues, entryIssues } from "../validate.ts";
import {
  refuseUnknownFields,
  unknownKeyIssue,
  changedKeys,
  entryChanges,
  refuseIssues,
  shapeRefusal,
  splitIssues,
  documentMap,
  type DocumentEdit,
  entriesOf,
} from "./edit.ts";
import type { Issue } from "../../api/issue.ts";
import { interfaceFields, targetFields, sortByDependency, type Field } from "../fields.ts";

const SECTION = "serviceConfiguration";
const PORT = "ports.";

/** A port is named `ports.rest`. The validator refuses what is not a number. */
export function setConfiguration(
  document: unknown,
  edit: { readonly values: Readonly<Record<string, string>>; readonly clear: readonly string[] },
  vocabulary: Vocabulary,
): DocumentEdit {
  const before = childMap(documentMap(document), SECTION, [SECTION]);
  const ports = childMap(before, "ports", [SECTION, "ports"]);
  const known = [...fieldNames(SECTION), ...Object.keys(ports).map((name) => PORT + name), "ports"];
  refuseUnknownFields(edit.clear, before, known, [SECTION]);
  refuseUnknownValues(edit.values, before, vocabulary);
  const { entry, nextPorts } = changedConfiguration(before, edit);
  const keys = [
    ...changedKeys({ ...before, ports: undefined }, { ...entry, ports: undefined }),
    ...changedKeys(ports, nextPorts ?? {}).map((name) => PORT + name),
  ];
  if (keys.length === 0) return { changes: [], target: SECTION, keys, entry: before };
  const { refused, tolerated } = splitIssues(serviceConfigurationIssues(entry, vocabulary), before);
  refuseIssues(refused, []);
  return {
    changes: configurationChanges(document, before, entry, ports),
    target: SECTION,
    keys,
    before,
    entry,
    issues: tolerated,
  };
}

function refuseUnknownValues(
  values: Readonly<Record<string, string>>,
  before: Candidate,
  { matrix }: Vocabulary,
): void {
  const accepted = [...fieldNames(SECTION), ...portNames(matrix).map((name) => PORT + name)];
  const unknown = Object.keys(values).filter((key) => !accepted.includes(key));
  const refused = unknown.filter((key) => key === "ports" || key.startsWith(PORT) || !Object.hasOwn(before, key));
  refuseIssues(
    refused.map((key) => unknownKeyIssue(key, "set", accepted)),
    [SECTION],
  );
}

/** Ports that the service kind does not use stay. */
export function changedConfiguration(
  before: Candidate,
  { values, clear }: { readonly values: Readonly<Record<string, string>>; readonly clear: readonly string[] },
): { readonly entry: Candidate; readonly nextPorts?: Candidate } {
  const ports = isRecord(before["ports"]) ? before["ports"] : {};
  const nextPorts = mergeValues(ports, selectValues(values, true), clear, PORT);
  const { ports: _, ...fields } = mergeValues(before, selectValues(values, false), clear, "");
  const removesPorts =
    clear.includes("ports") || (before["ports"] === undefined && Object.keys(nextPorts).length === 0);
  return removesPorts ? { entry: fields } : { entry: { ...fields, ports: nextPorts }, nextPorts };
}

export function configurationChanges(
  document: unknown,
  before: Candidate,
  after: Candidate,
  ports: Candidate,
): Change[] {
  if (documentMap(document)[SECTION] === undefined || documentMap(document)[SECTION] === null)
    return [{ kind: "set", path: [SECTION], value: after }];
  const order = [...fieldNames(SECTION).filter((field) => field !== "staticAssetsPath"), "staticAssetsPath", "ports"];
  const isNested = isRecord(before["ports"]) && isRecord(after["ports"]);
  if (!isNested) return entryChanges([SECTION], before, after, order);
  const nested = entryChanges([SECTION, "ports"], ports, after["ports"] as Candidate, ["rest", "websocket", "grpc"]);
  const { ports: _before, ...others } = before;
  const { ports: _after, ...next } = after;
  return [...entryChanges([SECTION], others, next, order), ...nested];
}

function selectValues(values: Readonly<Record<string, string>>, isOfPorts: boolean): Record<string, unknown> {
  const entries = Object.entries(values).filter(([key]) => key.startsWith(PORT) === isOfPorts);
  if (!isOfPorts) return Object.fromEntries(entries);
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(PORT.length), parsePortValue(value)]));
}

function parsePortValue(value: string): unknown {
  return /^(?:0|[1-9]\d{0,8})$/.test(value.trim()) ? Number(value) : value;
}

function mergeValues(before: Candidate, values: Candidate, clear: readonly string[], prefix: string): Candidate {
  const remaining = Object.entries(before).filter(([key]) => !clear.includes(prefix + key));
  return { ...Object.fromEntries(remaining), ...values };
}

function childMap(parent: Candidate, key: string, path: readonly string[]): Candidate {
  const value = parent[key] ?? {};
  if (isRecord(value)) return value;
  throw shapeRefusal(path, "a map", value);
}

export interface Question {
  readonly field: string;
  readonly label: string;
  readonly accepted?: readonly string[] | undefined;
  readonly default?: string | undefined;
  readonly isOptional: boolean;
}

type Answers = Readonly<Record<string, string>>;

export function openQuestions(section: ListSection, answers: Answers, vocabulary: Vocabulary): Question[] {
  const defaults = section === "deployments" ? targetDefaults(answers, vocabulary) : {};
  const fields: readonly Field[] = sortByDependency<Field>(section === "deployments" ? targetFields : interfaceFields);
  return fields
    .filter(({ name }) => !Object.hasOwn(answers, name))
    .map(({ name, label, accepted, required }): Question => ({
      field: name,
      label,
      accepted: accepted?.(answers, vocabulary),
      default: defaults[name],
      isOptional: !required(answers, vocabulary),
    }))
    .filter(({ accepted }) => accepted?.length !== 0);
}

export function answerIssues(
  section: ListSection,
  document: unknown,
  answers: Answers,
  vocabulary: Vocabulary,
): Issue[] {
  const others = entriesOf(document, section).map(({ entry }) => entry);
  const answered = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ""));
  return entryIssues(section, answered, others, vocabulary).filter(({ path }) =>
    Object.hasOwn(answered, String(path[0])),
  );
}
