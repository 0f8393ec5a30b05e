import type { EventsPorts } from "../ports.ts";
import type { ProcessShowResponse } from "../../api/events.ts";
import { specOf, tierOf } from "../../env/runtime-keys.ts";
import { LAST_ENDS, explainEnd, type Why } from "../why.ts";
import { uptimeMs } from "../../metrics/payload.ts";
import { EcosystemWatch } from "../../metrics/sampling/ecosystem-watch.ts";
import { defineOperation } from "../../access/operation.ts";
import { needsProject } from "../../project/read.ts";
import { appKind } from "../../running/code-evidence.ts";
import { listenersOf } from "../../running/port-holders.ts";
import { readTreeUsage } from "../../running/read-usage.ts";
import { readNextTimes, readStateOf } from "../../running/read-states.ts";
import { type StateOf, isAtRest, isWithoutPid, type ProcessState } from "../../running/state.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import { SvcmError } from "../../api/errors.ts";
import { withMachineEnvironment } from "../../rollout/machine-environment.ts";
import { shellQuote } from "../../words/text.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { NextTime } from "../../running/facts.ts";
import type { ProcessStateName } from "../../api/names.ts";
import { stateText } from "../../running/state-text.ts";
import { mebibytes } from "../causes.ts";
import { NOT_RUN_YET, nextText } from "../../running/finite-state.ts";

/**
 * Returns everything that svcm knows about the processes with a name. Never starts a daemon and returns no environment
 * values.
 * @throws {SvcmError} as `explainEnd`; PROCESS_NOT_FOUND if PM2 does not list the name; INVALID_ENVIRONMENT, INVALID_REQUEST
 * for the service
 */
export const processShow = defineOperation({
  id: "process.show",
  access: "read",
  async run(ports: EventsPorts, { name, ...request }, caller): Promise<ProcessShowResponse> {
    const isDeclared = await needsProject(ports, caller.limits);
    const environment = isDeclared
      ? await ports.telemetry.environment(request, caller)
      : (request.environment ?? "unknown");
    const why = await explainEnd(ports, name, caller);
    const isNamed = !isDeclared || (await isEnvironmentNamed(ports, request, caller));
    const { declaration, declaredKeys } = await readDeclaration(ports, { ...request, environment, isNamed }, why);
    const usage = await readTreeUsage(ports, why.processes);
    const contract = isDeclared ? await ports.facts.runtimeContract() : NO_KEYS;
    const running = why.processes.flatMap((record) => Object.keys(record.declaration.environment));
    const keys = new Set([...declaredKeys, ...running.filter((key) => specOf(contract, key) !== undefined)]);
    return {
      name,
      processes: describeProcesses(why, {
        stateOf: await readStateOf(ports, why.processes),
        nextTimes: await readNextTimes(ports, why.processes),
        epochMs: ports.clock.now(),
      }).map((process) => ({ ...process, ...usage.get(process.pmId) })),
      why: why.response,
      ends: why.ends.slice(0, LAST_ENDS),
      declaration,
      env: [...keys].toSorted().map((key) => ({ key, tier: tierOf(contract, key) })),
    };
  },
});

const NO_KEYS = { keys: {} };

/** By the request, or by what was applied or recorded on this machine. */
async function isEnvironmentNamed(
  ports: EventsPorts,
  request: EnvironmentRequest,
  caller: Parameters<typeof withMachineEnvironment>[2],
): Promise<boolean> {
  try {
    return (await withMachineEnvironment(ports, request, caller)).environment !== undefined;
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "PM2_HOME_UNUSABLE") return request.environment !== undefined;
    throw error;
  }
}

interface Known {
  readonly stateOf: StateOf;
  readonly nextTimes: ReadonlyMap<number, NextTime>;
  /** Milliseconds since 1970. */
  readonly epochMs: number;
}

function describeProcesses(
  { processes, listeners }: Why,
  { stateOf, nextTimes, epochMs }: Known,
): ProcessShowResponse["processes"] {
  return processes.map((record) => {
    const { pmId, status, pid, restartCount, cpuPercent, memoryBytes, execMode, script } = record;
    const state = stateOf(record);
    const sockets = listeners === undefined ? [] : listenersOf(record, listeners);
    // For a cluster, PM2's daemon does the listening.
    const isHidden = listeners === undefined || (execMode === "cluster" && sockets.length === 0);
    return {
      pmId,
      status,
      kind: appKind(record.declaration.settings),
      state: state.name,
      stateReason: state.reason,
      pid,
      uptimeMs: uptimeMs(record, epochMs),
      restartCount,
      cpuPercent,
      memoryBytes,
      execMode,
      script,
      problem: state.problem,
      ports: isHidden ? null : sockets.map(({ address, port, waiting }) => ({ address, port, waiting })),
      next: describeNextActions(record, state, scheduleSentence(record, nextTimes.get(pmId), epochMs)),
    };
  });
}

interface Declared {
  readonly declaration: ProcessShowResponse["declaration"];
  readonly declaredKeys: readonly string[];
}

/** If a file cannot be read, the process is still shown. */
async function readDeclaration(
  ports: EventsPorts,
  request: EnvironmentRequest & { environment: string; isNamed: boolean },
  { listed, response: { app: name } }: Why,
): Promise<Declared> {
  const watch = new EcosystemWatch(ports, request);
  const { environment } = request;
  const stateOf = await readStateOf(ports, listed ?? []);
  const compared = await watch.compare(listed ?? [], { isCurrent: true, stateOf });
  const { drift, unknown, fileName, exists } = compared;
  if (!exists) return { declaration: null, declaredKeys: [] };
  const app = (await watch.read({ isCurrent: false })).expected.find((expected) => expected.name === name);
  const own = drift.filter((entry) => entry.name === name && entry.state !== "unexpected");
  const error = compared.error ?? (listed === undefined ? "PM2's list could not be read" : undefined);
  const isKnown = listed !== undefined;
  const declaration = {
    environment,
    fileName,
    isDeclared: app !== undefined,
    drift: isKnown ? own : [],
    unknown: isKnown ? unknown.filter((one) => one.app === name) : [],
  };
  return {
    declaration: error === undefined ? declaration : { ...declaration, error },
    declaredKeys: (app?.environments ?? []).flatMap((variables) => Object.keys(variables)),
  };
}

type ShownState = Pick<ProcessState, "name" | "reason">;

function describeNextActions(record: ProcessRecord, state: ProcessState, schedule: string[]): string[] {
  const { watching, cronRestart } = record;
  const { name } = state;
  if (isWithoutPid(record)) return ["It has no pid, and PM2 does not notice: PM2 starts it only on request."];
  if (hasGivenUp(name)) return ["PM2 has given up on it, and starts it only on request."];
  if (isAtRest(record) && cronRestart === null)
    return [`PM2 starts it only on request${awaitsRun(state) ? `: svcm run ${shellQuote(record.name)}` : ""}.`];
  return [
    restartSentence(record),
    ...memoryLimit(record),
    ...(watching ? ["PM2 restarts it if a watched file changes."] : []),
    ...schedule,
  ];
}

/** `Now: errored. PM2 does not start it again; svcm restart api does.` */
export function stateSentences(app: string, states: readonly ShownState[]): string[] {
  if (states.length === 0) return [];
  const next = nextSentence(app, states);
  return [`Now: ${states.map(stateText).join(", ")}.${next === undefined ? "" : ` ${next}`}`];
}

function nextSentence(app: string, states: readonly ShownState[]): string | undefined {
  if (states.some(({ name }) => hasGivenUp(name)))
    return `PM2 does not start it again; svcm restart ${shellQuote(app)} does.`;
  if (states.some(({ name }) => name === "missing"))
    return `PM2 lists it as online and does not notice; svcm restart ${shellQuote(app)} starts it.`;
  if (states.some(awaitsRun)) return `PM2 does not run it by itself; svcm run ${shellQuote(app)} does.`;
  return undefined;
}

/** A task that has not succeeded. No apply runs it again, also with other code or another definition. */
function awaitsRun({ name, reason }: ShownState): boolean {
  return name === "failed" || (name === "ended" && reason === NOT_RUN_YET);
}

function hasGivenUp(name: ProcessStateName): boolean {
  return name === "errored" || name === "given up";
}

function restartSentence({ declaration: { settings } }: ProcessRecord): string {
  const { autorestart, expBackoffRestartDelay, restartDelay } = settings;
  if (autorestart === false) return "PM2 does not start it again after an end.";
  if (expBackoffRestartDelay) return "PM2 starts it again after an end, with a delay that grows.";
  const delay = restartDelay ? `, ${Number(restartDelay) / 1000} s later` : "";
  return `PM2 starts it again after an end${delay}.`;
}

function memoryLimit({ memoryBytes, declaration: { settings } }: ProcessRecord): string[] {
  const { maxMemoryRestart } = settings;
  if (typeof maxMemoryRestart !== "number") return [];
  const used = memoryBytes === null ? "" : `; it uses ${mebibytes(memoryBytes)}`;
  return [`PM2 restarts it above ${mebibytes(maxMemoryRestart)}${used}.`];
}

/** @param epochMs milliseconds since 1970 */
function scheduleSentence({ cronRestart }: ProcessRecord, next: NextTime | undefined, epochMs: number): string[] {
  if (cronRestart === null) return [];
  if (next?.nextMs === null) return [`Its schedule ${cronRestart} has no more times.`];
  return [`Its schedule ${cronRestart} restarts it${next === undefined ? "" : `: ${nextText(next, epochMs)}`}.`];
}
