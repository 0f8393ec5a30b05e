import type { HasProcesses, Processes } from "./port-processes.ts";
import { severalText } from "./daemon-traces.ts";
import { toSkipped, type SkippedProcess, type ProcessRecord, isOwnProcess } from "./process-record.ts";
import { SvcmError } from "../api/errors.ts";
import { suggest } from "../words/suggest.ts";
import type { ProcessAction } from "../api/names.ts";

/** Names are literal: `all`, `0` or `/re/` means an app with that name. */
export interface TargetRequest {
  readonly scope: "process" | "namespace";
  readonly name?: string | undefined;
  readonly pmId?: number | undefined;
  /** Instead of `name` and `pmId`. */
  readonly names?: readonly string[] | undefined;
  readonly pmIds?: readonly number[] | undefined;
  readonly namespace?: string | undefined;
}

/**
 * If one of several is refused, all are refused.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, INVALID_REQUEST
 */
export function resolveTarget(list: readonly ProcessRecord[], request: TargetRequest): ProcessRecord[] {
  if (request.scope === "namespace") return resolveNamespace(list, request);
  const { names = [], pmIds = [], namespace } = request;
  if (names.length + pmIds.length === 0) return resolveByName(list, request);
  if (request.name !== undefined || request.pmId !== undefined)
    throw invalidRequest("A request has name and pmId for one process, or names and pmIds for several; not both.");
  const each = [...names.map((name) => ({ name })), ...pmIds.map((pmId) => ({ pmId }))];
  return [...new Set(each.flatMap((one) => resolveByName(list, { scope: "process", namespace, ...one })))];
}

/** As `resolveTarget`; a refusal names another daemon that may run the process. */
export function findTarget(
  { lostDaemons }: Pick<Processes, "lostDaemons">,
  list: readonly ProcessRecord[],
  request: TargetRequest,
): ProcessRecord[] {
  try {
    return resolveTarget(list, request);
  } catch (error) {
    throw error instanceof SvcmError ? namingLost(lostDaemons(), error) : error;
  }
}

/** @param pids of the daemons that PM2's socket does not reach */
export function namingLost(pids: readonly number[], error: SvcmError): SvcmError {
  if (pids.length === 0 || error.kind !== "PROCESS_NOT_FOUND") return error;
  return new SvcmError(error.kind, { ...error.body, details: `${error.message} ${severalText(pids)}` });
}

/** A process given by its id uses its own name. */
export function targetName(
  { scope, name, names, namespace }: TargetRequest,
  found: readonly { name: string }[],
): string {
  if (scope === "namespace") return namespace ?? name ?? "";
  return name ?? [...new Set([...(names ?? []), ...found.map((one) => one.name)])].join(", ");
}

export function processLabel({ name, pmId, namespace }: Pick<ProcessRecord, "name" | "pmId" | "namespace">): string {
  return `${name} (id ${pmId}, namespace ${namespace})`;
}

export function nameNotFound(what: string, requested: string, accepted: readonly string[]): SvcmError {
  const names = [...new Set(accepted)].toSorted();
  const suggestion = suggest(requested, names) ?? onlyNameWith(requested, names);
  const quoted = names.map((name) => JSON.stringify(name)).join(", ");
  const details = [
    `No ${what} ${JSON.stringify(requested)}.`,
    ...(suggestion === undefined ? [] : [`Did you mean ${JSON.stringify(suggestion)}?`]),
    names.length === 0 ? "There is none." : `Accepted: ${quoted}.`,
  ].join(" ");
  return new SvcmError("PROCESS_NOT_FOUND", { details });
}

/** `svc-dev-restapi` for `restapi`. */
function onlyNameWith(part: string, names: readonly string[]): string | undefined {
  const [first, ...more] = names.filter((name) => name.includes(part));
  return more.length === 0 ? first : undefined;
}

const NAMESPACE_ALONE =
  'With the scope "namespace", give the name of one PM2 namespace as "namespace", for example "default", and no process.';

function resolveNamespace(list: readonly ProcessRecord[], request: TargetRequest): ProcessRecord[] {
  const namespace = requestedNamespace(request);
  const found = list.filter((record) => record.namespace === namespace);
  if (found.length === 0)
    throw nameNotFound(
      "PM2 namespace with processes is named",
      namespace,
      list.map((record) => record.namespace),
    );
  return found;
}

/** @throws {SvcmError} INVALID_REQUEST if it is missing, or if the target also names a process */
function requestedNamespace({ namespace, name, pmId, names = [], pmIds = [] }: TargetRequest): string {
  const requested = namespace ?? name;
  const hasProcess = pmId !== undefined || names.length + pmIds.length > 0 || (name ?? requested) !== requested;
  if (hasProcess) throw invalidRequest(`A request has a namespace or processes, not both. ${NAMESPACE_ALONE}`);
  if (requested === undefined) throw invalidRequest(`"namespace" is missing. ${NAMESPACE_ALONE}`);
  return requested;
}

function resolveByName(list: readonly ProcessRecord[], { name, pmId, namespace }: TargetRequest): ProcessRecord[] {
  if (name === undefined && pmId === undefined)
    throw invalidRequest("Neither a name nor PM2's number of a process was given.");
  const inside = namespace === undefined ? list : list.filter((record) => record.namespace === namespace);
  if (pmId !== undefined) return [resolveById(inside, pmId, name)];
  const found = inside.filter((record) => record.name === name);
  if (found.length === 0)
    throw nameNotFound(
      "PM2 process is named",
      name ?? "",
      inside.map((record) => record.name),
    );
  if (new Set(found.map(appKey)).size > 1) throw ambiguousName(name ?? "", found);
  return found;
}

function resolveById(list: readonly ProcessRecord[], pmId: number, name: string | undefined): ProcessRecord {
  const found = list.find((record) => record.pmId === pmId);
  if (found === undefined)
    throw nameNotFound(
      "PM2 process has the number",
      String(pmId),
      list.map((record) => String(record.pmId)),
    );
  if (name === undefined || found.name === name) return found;
  const details = `PM2's number ${pmId} is ${processLabel(found)}, not ${JSON.stringify(name)}.`;
  throw new SvcmError("PROCESS_NOT_FOUND", { details });
}

function appKey({ namespace, script, cwd }: ProcessRecord): string {
  return JSON.stringify([namespace, script, cwd]);
}

function ambiguousName(name: string, found: readonly ProcessRecord[]): SvcmError {
  const each = found.map((record) => `${processLabel(record)}: ${record.script ?? "no script"}`).join("; ");
  return new SvcmError("PROCESS_AMBIGUOUS", {
    details: `${found.length} processes of different apps are named ${JSON.stringify(name)}: ${each}.`,
    hint: "Choose one by PM2's number or by its namespace: --id <n>, --namespace <name>.",
  });
}

function invalidRequest(details: string): SvcmError {
  return new SvcmError("INVALID_REQUEST", { details });
}

/**
 * A stop or restart of these would end them before they respond.
 * @throws {SvcmError} SELF_ACTION_BLOCKED unless `mayLeaveOut`
 */
export function separateOwn(
  ports: HasProcesses,
  action: ProcessAction,
  targets: readonly ProcessRecord[],
  maySkipOwn: boolean,
): { others: readonly ProcessRecord[]; own: SkippedProcess[] } {
  if (action === "start") return { others: targets, own: [] };
  const self = ports.processes.ownProcess();
  const own = targets.filter((record) => isOwnProcess(record, self));
  const [first] = own;
  if (first !== undefined && !maySkipOwn) {
    throw new SvcmError("SELF_ACTION_BLOCKED", {
      details: `${processLabel(first)} serves this request: it cannot ${action} itself.`,
      hint: `From a terminal: svcm ${action} ${first.name} --id ${first.pmId}`,
    });
  }
  return {
    others: targets.filter((record) => !own.includes(record)),
    own: own.map((record) => toSkipped(record, "SELF_ACTION_BLOCKED")),
  };
}
