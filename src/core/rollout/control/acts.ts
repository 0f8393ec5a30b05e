import { shellQuote } from "../../words/text.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { HasEcosystems } from "../../pm2/ports.ts";
import type { HasStamps } from "../../files/ports.ts";
import type { ApplyPorts } from "../ports.ts";
import { findTarget, targetName, separateOwn } from "../../pm2/target.ts";
import { createProcessAct } from "./act-on.ts";
import {
  type ActionInput,
  type Acts,
  type ActionContext,
  type Act,
  noteProcesses,
  type NamedProcess,
  mergeOutcomes,
  type Effect,
  type Outcome,
} from "./action.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError, describeError } from "../../api/errors.ts";
import type { DeclaredRun, HasProcesses } from "../../pm2/port-processes.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { readRequestedApps, type RequestedApps, findDeclaredRun, listDrift, readEffect } from "./requested-apps.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { environmentSwitch } from "../plan.ts";
import { findStartedEnvironments, findOtherCheckouts } from "../started-environment.ts";
import { leftOverWarnings } from "./refusals.ts";
import { separateJobs, startDeclared } from "./start-declared.ts";
import type { Issue } from "../../api/issue.ts";
import type { Progress } from "../../access/operation.ts";
import type { Attempt } from "../../access/with-audit.ts";
import { groupBy } from "../../words/record.ts";

/**
 * Records the affected processes in the audit log as soon as they are known.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, INVALID_REQUEST, PM2_FAILED; for the
 * scope `ecosystem` also PROCESS_ACTION_REFUSED and the errors of reading its file.
 */
export async function createActs(ports: ApplyPorts, input: ActionInput, attempt: Attempt): Promise<Acts> {
  const { scope } = input;
  if (scope === "ecosystem") return createDeclaredActs(ports, input, attempt);
  const request = { ...input, scope };
  const targets = findTarget(ports.processes, await ports.processes.list(), request);
  noteProcesses(attempt, ports, targets);
  if (scope === "process") attempt.note({ target: undefined });
  const { others, own } = separateOwn(ports, input.action, targets, scope === "namespace");
  const { services, left } =
    scope === "namespace" ? separateJobs(input.action, others) : { services: others, left: [] };
  return {
    name: targetName(request, targets),
    create: (context) => services.map((record) => createProcessAct(context, record)),
    skipped: [...own, ...left],
    readEffect: () => readEnd(ports, input.action, others),
  };
}

/**
 * Without a named app, an app that cannot run as declared is skipped.
 * @throws {SvcmError} for a named app that is unknown or cannot run as declared
 */
async function createDeclaredActs(ports: ApplyPorts, input: ActionInput, attempt: Attempt): Promise<Acts> {
  const requested = await readRequestedApps(ports, input, attempt);
  const [first] = requested.refused;
  if (!requested.isAll && first !== undefined) throw first.error;
  const name = requested.isAll ? "*" : requested.declarations.map((declared) => declared.name).join(", ");
  if (input.action !== "start") return { name, ...(await createRestartActs(ports, requested, input.action, attempt)) };
  noteProcesses(attempt, ports, await listSubjects(ports, requested));
  const create = (context: ActionContext): Act[] => [
    ...requested.declarations.map((declared) => ({
      label: declared.name,
      run: () => startDeclared(context, declared),
    })),
    ...createFailingActs(requested.refused),
  ];
  return { name, create, skipped: [], readEffect: () => readEffect(ports, requested, "start") };
}

async function listSubjects(ports: HasProcesses, { declarations, refused }: RequestedApps): Promise<NamedProcess[]> {
  const listed = await listOrEmpty(ports.processes);
  return [...declarations, ...refused].flatMap(({ name }): readonly NamedProcess[] => {
    const found = listed.filter((record) => record.name === name);
    return found.length > 0 ? found : [{ name, pmId: null }];
  });
}

async function createRestartActs(
  ports: HasEcosystems & HasFacts & HasProcesses & HasStamps & HasWorkspace,
  requested: RequestedApps,
  action: ProcessAction,
  attempt: Attempt,
): Promise<Pick<Acts, "create" | "skipped" | "readEffect">> {
  const { isAll, declarations, refused } = requested;
  const list = await ports.processes.list();
  await requireSamePlace(ports, requested, list);
  const failing = [...refused];
  const findProcesses = (name: string): ProcessRecord[] => {
    try {
      return findTarget(ports.processes, list, { scope: "process", name });
    } catch (error) {
      if (!isAll || !(error instanceof SvcmError)) throw error;
      failing.push({ name, error });
      return [];
    }
  };
  const targets = declarations.flatMap(({ name }) => findProcesses(name));
  noteProcesses(attempt, ports, [...targets, ...failing.map(({ name }) => ({ name, pmId: null }))]);
  const { others, own } = separateOwn(ports, action, targets, isAll);
  const { services, left } = separateJobs(action, others);
  const nextRun = (record: ProcessRecord): DeclaredRun => findDeclaredRun(ports, requested, record);
  const create = (context: ActionContext): Act[] => [
    ...services.map((record) => createProcessAct({ ...context, nextRun }, record)),
    ...createFailingActs(failing),
  ];
  const before = listDrift(ports, requested, list);
  return {
    create,
    skipped: [...own, ...left],
    readEffect: () => readEffect(ports, requested, action, before),
  };
}

/** @throws {SvcmError} PROCESS_ACTION_REFUSED with CHECKOUT_SWITCH or ENVIRONMENT_SWITCH, which only an apply permits */
async function requireSamePlace(
  ports: HasEcosystems & HasFacts & HasStamps & HasWorkspace,
  { environment, service, expected, expecting, appliedApps }: RequestedApps,
  list: readonly ProcessRecord[],
): Promise<void> {
  const names = expected.map(({ name }) => name);
  const running = list.filter(({ name }) => names.includes(name));
  const started = { environment, service, expected, expecting, running, appliedApps };
  const startedAs = await findStartedEnvironments(ports, started);
  const [other] = [
    ...findOtherCheckouts(ports, expected, running).map(({ issue }) => issue),
    ...environmentSwitch({ appliedApps, startedAs, running }, names, environment),
  ];
  if (other === undefined) return;
  const { code, message: details } = other;
  throw new SvcmError("PROCESS_ACTION_REFUSED", { code, details });
}

function createFailingActs(refused: RequestedApps["refused"]): Act[] {
  return refused.map(({ name, error }) => ({ label: name, run: () => Promise.reject(error) }));
}

async function readEnd(ports: ApplyPorts, action: ProcessAction, ended: readonly ProcessRecord[]): Promise<Effect> {
  if (action !== "stop" && action !== "delete") return { warnings: [] };
  const left = await leftOverWarnings(ports, new Set(ended.map(({ name }) => name)));
  return { warnings: [...(action === "stop" ? scheduleWarnings(ended) : []), ...left] };
}

/** PM2 keeps the schedule of a stopped app: it starts the app at the next time. */
function scheduleWarnings(stopped: readonly ProcessRecord[]): Issue[] {
  const schedules = new Map(
    stopped.flatMap(({ name, cronRestart }) => (cronRestart === null ? [] : [[name, cronRestart]])),
  );
  return [...schedules].map(([name, pattern]) => ({
    code: "PROCESS_STILL_SCHEDULED",
    severity: "warning",
    path: ["apps", name],
    message: `PM2 still starts ${name} on its schedule, ${pattern}. To end that, too: svcm delete ${shellQuote(name)}`,
  }));
}

interface Failure {
  readonly label: string;
  readonly error: SvcmError;
}

/** The same limit as PM2's own, so that a whole namespace is never down at once. */
const MAX_CONCURRENT = 4;

/**
 * In parallel across apps, in sequence within one: after a failure, its remaining instances stay as they are.
 * @throws {SvcmError} the error of the only act; otherwise PROCESS_ACTION_FAILED (PROCESS_ACTION_REFUSED if every
 * failure is a refusal) with the acts done and not done. Every other error passes through.
 */
export async function runAll(action: ProcessAction, acts: readonly Act[], report?: Progress): Promise<Outcome> {
  const [only] = acts;
  if (only !== undefined && acts.length === 1) return only.run();
  const done: Outcome[] = [];
  const failures: Failure[] = [];
  const untouched: string[] = [];
  const queue = [...groupBy<Act, string | Act>(acts, (act) => act.app ?? act).values()];
  const runAct = async ({ label, run }: Act): Promise<boolean> => {
    try {
      done.push(await run());
      report?.({ done: done.length, total: acts.length, label });
      return true;
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      failures.push({ label, error });
      return false;
    }
  };
  const worker = async (): Promise<void> => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      let act = group.shift();
      while (act !== undefined && (await runAct(act))) act = group.shift();
      untouched.push(...group.map(({ label }) => label));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
  const outcome = mergeOutcomes(done);
  if (failures.length > 0) throw partialFailure(action, { count: acts.length, failures, untouched, outcome });
  return outcome;
}

interface PartialResult {
  readonly count: number;
  readonly failures: readonly Failure[];
  readonly untouched: readonly string[];
  readonly outcome: Outcome;
}

function partialFailure(action: ProcessAction, { count, failures, untouched, outcome }: PartialResult): SvcmError {
  const reasons = failures.map(({ label, error }) => `${label}: ${describeError(error).body.details ?? error.message}`);
  const succeeded = outcome.affected.map(({ name, pmId }) => `${name} (id ${pmId})`).join(", ") || "none";
  const notStarted =
    untouched.length === 0 ? "" : ` Not begun because an instance before failed: ${untouched.join(", ")}.`;
  const isRefusal = failures.every(({ error }) => error.kind === "PROCESS_ACTION_REFUSED");
  return new SvcmError(isRefusal ? "PROCESS_ACTION_REFUSED" : "PROCESS_ACTION_FAILED", {
    code: failures[0]?.error.body.code ?? "PROCESS_ACTION_FAILED",
    details: `The ${action} of ${failures.length} of ${count} failed. ${reasons.join(" ")} Succeeded: ${succeeded}.${notStarted}`,
  });
}
