import { requireEnvironment } from "../../project/resolve.ts";
import { shellQuote, pluralize } from "../../words/text.ts";
import type { Attempt } from "../../access/with-audit.ts";
import { type ApplyPorts, readAppliedState } from "../ports.ts";
import { visibleKeys } from "../../env/runtime-keys.ts";
import { SvcmError } from "../../api/errors.ts";
import { declarationsOf, type Declaration, declaredApps, environmentsWithEcosystem } from "../../pm2/declared.ts";
import { readEcosystem } from "../../pm2/ecosystem-file.ts";
import { expectedApps, type ExpectContext, type ExpectedApp } from "../expected.ts";
import type { AppliedState } from "../release.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { nameNotFound } from "../../pm2/target.ts";
import type { ActionInput, AppliedField, Effect } from "./action.ts";
import { noEcosystem, declarationRefusal } from "./refusals.ts";
import type { HasStamps } from "../../files/ports.ts";
import type { Code, Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/drift.ts";
import type { ProcessAction } from "../../api/names.ts";
import { withheldIssues } from "../../pm2/rules/file.ts";
import { isJob } from "./start-declared.ts";
import type { DeclaredRun, HasProcesses } from "../../pm2/port-processes.ts";
import { computeDrift } from "../drift.ts";
import type { Fields } from "../../pm2/normalise.ts";
import { plainState } from "../../running/state.ts";
import { workingFolders, type ProcessRecord } from "../../pm2/process-record.ts";

export interface RequestedApps {
  readonly environment: string;
  readonly isAll: boolean;
  readonly declarations: readonly Declaration[];
  readonly refused: readonly { readonly name: string; readonly error: SvcmError }[];
  readonly expected: readonly ExpectedApp[];
  readonly service: string | undefined;
  readonly expecting: Omit<ExpectContext, "spellings">;
  readonly visibleKeys: ReadonlySet<string>;
  readonly withheld: readonly string[];
  readonly appliedApps: AppliedState["apps"];
}

/** @throws {SvcmError} INVALID_REQUEST, PROCESS_NOT_FOUND, and the errors of reading the file */
export async function readRequestedApps(
  ports: ApplyPorts,
  input: ActionInput,
  attempt: Attempt,
): Promise<RequestedApps> {
  const { action, name, names = [], pmId, pmIds = [], namespace } = input;
  if (action === "stop" || action === "delete" || pmId !== undefined || pmIds.length > 0 || namespace !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: "With the scope ecosystem, apps are started, restarted or reloaded by their names alone.",
    });
  requireEnvironment(await ports.facts.project(), input.environment, ports.workspace.nodeEnv);
  const file = await readEcosystem(ports, input);
  attempt.note({ environment: file.name });
  const { loaded, contract, spellings, path } = file;
  const { root } = ports.workspace;
  if (loaded === undefined) throw noEcosystem(file, await environmentsWithEcosystem(ports));
  const machine = { cpuCores: ports.host.cpuCores(), pm2Home: ports.workspace.pm2Home };
  const declaredNames = [...new Set(declaredApps(loaded, machine).map((app) => app.name))].filter((one) => one !== "");
  const requestedNames = [...new Set([...(name === undefined ? [] : [name]), ...names])];
  const unknown = requestedNames.find((one) => !declaredNames.includes(one));
  if (unknown !== undefined) throw nameNotFound(`app in ${file.fileName} is named`, unknown, declaredNames);
  const selected = requestedNames.length === 0 ? declaredNames : requestedNames;
  const checked = selected
    .map(declarationsOf(loaded, { machine, spellings }))
    .map((declared) => ({ declared, name: declared.name, error: declarationRefusal(declared, { path, root }) }));
  const expecting = { machine, digest: (value: string): string => ports.processes.digest(value) };
  const requested = {
    environment: file.name,
    isAll: requestedNames.length === 0,
    declarations: checked.map(({ declared }) => declared),
    service: input.service,
    expecting,
    expected: expectedApps(loaded, { ...expecting, spellings }).filter((app) => selected.includes(app.name)),
    visibleKeys: new Set(visibleKeys(contract)),
    withheld: loaded.withheld,
    appliedApps: (await readAppliedState(ports)).apps,
  };
  const refusals = checked.flatMap(({ name: app, error }) => (error === undefined ? [] : [{ name: app, error }]));
  const refused = await withoutRunning(ports, { ...requested, refused: refusals });
  const isAccepted = (app: { readonly name: string }): boolean => !refused.some((one) => one.name === app.name);
  return { ...requested, refused, declarations: requested.declarations.filter(isAccepted) };
}

/** An app that runs without its block already, and as declared otherwise, loses nothing. */
async function withoutRunning(
  ports: HasProcesses & HasStamps,
  requested: RequestedApps,
): Promise<RequestedApps["refused"]> {
  const isOfBlock = ({ error }: RequestedApps["refused"][number]): boolean =>
    error.body.code === "ECOSYSTEM_ENV_BLOCK_UNUSED";
  if (!requested.refused.some(isOfBlock)) return requested.refused;
  const running = await listOrEmpty(ports.processes);
  const drift = listDrift(ports, requested, running);
  const runsAsDeclared = (app: string): boolean =>
    running.some(({ name }) => name === app) && !drift.some(({ name }) => name === app);
  return requested.refused.filter((one) => !isOfBlock(one) || !runsAsDeclared(one.name));
}

/** Differences that are gone were applied; the remaining ones are warnings. */
export async function readEffect(
  ports: HasProcesses & HasStamps,
  requested: RequestedApps,
  action: ProcessAction,
  before: readonly DriftEntry[] = [],
): Promise<Effect> {
  const { declarations } = requested;
  const unset = [...withheldIssues(requested.withheld), ...declarations.flatMap(unsetWarnings)];
  try {
    const now = listDrift(ports, requested, await ports.processes.list());
    const remaining = new Set(now.map(entryKey));
    const applied = before.filter((entry) => entry.state !== "missing" && !remaining.has(entryKey(entry)));
    const warnings = [...unset, ...declarations.flatMap((declared) => driftWarnings(declared, action, now))];
    return { ...(action !== "start" && { applied: applied.map(toAppliedField) }), warnings };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const message = `PM2's list could not be read after the action, so differences from the file are not known. ${error.message} Compare again: svcm ecosystem drift`;
    return {
      warnings: [...unset, { code: "PROCESS_DRIFT_UNKNOWN", severity: "warning", path: ["apps"], message }],
    };
  }
}

function entryKey({ name, field, key }: DriftEntry): string {
  return JSON.stringify([name, field, key]);
}

function toAppliedField({ name, field, key }: DriftEntry): AppliedField {
  return { name, field, key };
}

function unsetWarnings({ name, unset }: Declaration): Issue[] {
  if (unset.length === 0) return [];
  const isOne = unset.length === 1;
  const which = `${unset.join(", ")} ${isOne ? "has" : "have"} no value in the environment in which svcm reads the file`;
  const message = `${which}: ${name} was not given ${isOne ? "it" : "them"}, and keeps the value that it had before, if any.`;
  return [warning("PROCESS_VARIABLE_UNSET", name, message)];
}

function driftWarnings(declared: Declaration, action: ProcessAction, drift: readonly DriftEntry[]): Issue[] {
  const { name } = declared;
  const entries = drift.filter((entry) => entry.name === name);
  const stale = [...new Set(entries.filter(isStale).flatMap(({ key }) => (key === null ? [] : [key])))];
  const count = entries.find(({ field }) => field === "instances");
  const others = entries.filter((entry) => !isStale(entry) && entry !== count);
  const different = [...new Set(others.map(({ field, key }) => (key === null ? field : `${field} ${key}`)))];
  const remedy = isJob(declared)
    ? `To give PM2 the definition without a run: svcm apply --app ${shellQuote(name)}`
    : action === "start"
      ? `To apply the file: svcm restart ${shellQuote(name)} --ecosystem`
      : `PM2 applies that to a new process: svcm delete ${shellQuote(name)}, then svcm start ${shellQuote(name)} --ecosystem`;
  const differentText = `${name} still runs with another ${different.join(", ")}. ${remedy}`;
  const countText = `${name} runs with ${pluralize(Number(count?.running ?? 0), "instance")}, and the file declares ${count?.declared}. To change that: svcm scale ${shellQuote(name)} ${count?.declared}`;
  return [
    ...(stale.length === 0 ? [] : [warning("PROCESS_VARIABLE_STAYED", name, staleText(stale, remedy))]),
    ...(different.length === 0 ? [] : [warning("PROCESS_FIELD_NOT_APPLIED", name, differentText)]),
    ...(count === undefined ? [] : [warning("PROCESS_FIELD_NOT_APPLIED", name, countText)]),
  ];
}

function staleText(keys: readonly string[], remedy: string): string {
  const them = keys.length === 1 ? "it" : "them";
  return `${keys.join(", ")} stayed in the process: the file no longer declares ${them}. ${remedy}`;
}

function warning(code: Code, name: string, message: string): Issue {
  return { code, severity: "warning", path: ["apps", name], message };
}

/** Env files are not compared, because a restart reads them again; states are not, because an action changes them. */
export function listDrift(
  { stamps }: HasStamps,
  requested: RequestedApps,
  list: readonly ProcessRecord[],
): DriftEntry[] {
  const running = list.filter(({ name }) => requested.declarations.some((declared) => declared.name === name));
  const missingFolders = stamps.missing(workingFolders(running));
  const unknown = { modifiedMs: () => undefined, stateOf: () => plainState("unknown") };
  return computeDrift({ ...requested, running, missingFolders, ...unknown }).drift;
}

/** If several entries match, PM2 uses the last. */
export function findDeclaredRun(ports: HasStamps, requested: RequestedApps, record: ProcessRecord): DeclaredRun {
  const declared = requested.declarations.find(({ name }) => name === record.name);
  const stale = listDrift(ports, requested, [record]).filter(isStale);
  const { apps = [], folder = "/" } = declared ?? {};
  const env = Object.assign({}, ...apps.map((app) => app["env"])) as Fields;
  return { app: { ...apps.at(-1), env }, folder, drop: stale.flatMap(({ key }) => key ?? []) };
}

function isStale({ field, state }: DriftEntry): boolean {
  return field === "env" && state === "stale";
}
