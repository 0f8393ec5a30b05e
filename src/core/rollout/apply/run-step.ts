import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import { actOn } from "../../pm2/control/act-on.ts";
import type { Acting, AffectedProcess, Meanwhile } from "../../pm2/control/acting.ts";
import { scaleDown, scaleUp } from "../../pm2/control/scale.ts";
import { startDeclared } from "../../pm2/control/start-declared.ts";
import { declarationOf } from "../../pm2/declaration.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import type { DecidedStep } from "../step.ts";
import type { Expecting } from "../expected.ts";
import { definitionOf } from "../plan.ts";
import { Gate, type Demand } from "./gate.ts";
import { preflight } from "./preflight.ts";

export interface Running {
  readonly ports: Ports;
  readonly loaded: LoadedEcosystem;
  readonly expecting: Expecting;
  readonly running: readonly ProcessRecord[];
  readonly demandOf: (app: string) => Demand;
  /** Takes a pending response of PM2 that a failed step did not wait for. */
  readonly owed: Meanwhile["owed"];
  readonly booted: (app: string, bootMs: number) => void;
}

/**
 * Each must be the process that the plan was computed from, with the same definition.
 * @throws {SvcmError} PM2_FAILED with the code `PROCESS_CHANGED`
 */
export async function targetsOf(
  { ports, running }: Running,
  { do: kind, pmIds }: Pick<DecidedStep, "do" | "pmIds">,
): Promise<ProcessRecord[]> {
  // An earlier step may have changed the processes of an app that is scaled.
  if (pmIds.length === 0 || kind === "scale") return [];
  const { list } = await ports.processes.withHomeKey();
  const now = await list();
  return pmIds.map((pmId) => {
    const seen = running.find((record) => record.pmId === pmId);
    const found = now.find((record) => record.pmId === pmId);
    if (found !== undefined && seen !== undefined && definitionOf(found) === definitionOf(seen)) return found;
    throw new SvcmError("PM2_FAILED", {
      code: "PROCESS_CHANGED",
      details: `The process with PM2's number ${pmId} changed after the plan was computed.`,
      hint: "Read the new plan: svcm plan",
    });
  });
}

/**
 * Process by process, each online and past its probe.
 * @throws {SvcmError} PREFLIGHT_FAILED, and the errors of the actions and the gate
 */
export async function runStep(running: Running, step: DecidedStep, targets: readonly ProcessRecord[]): Promise<void> {
  if (step.do === "save") return running.ports.processes.saveList();
  if (step.do === "scale") return scale(running, step);
  const { loaded, expecting } = running;
  if (step.do === "remove") return remove(running, step, targets);
  const declared = declarationOf(loaded, step.app, expecting);
  const acting = actingOn(running, step.app);
  if (step.do === "preflight") return preflight(running.ports, declared, running.demandOf(step.app));
  const judge = (affected: readonly AffectedProcess[]): Promise<void> => judged(running, affected);
  const run = { app: { ...declared.apps.at(-1), env: declared.env }, folder: declared.folder, drop: droppedBy(step) };
  for (const target of targets) {
    if (step.do === "update")
      await update(running, step.app, { ...acting(step.method ?? "restart"), declared: () => run }, target);
    else if (step.do === "resume") await actOn({ ...acting("start"), judge }, target);
  }
  if (step.do === "replace") await remove(running, step, targets);
  if (step.do === "start" || step.do === "replace") {
    const { affected } = await startDeclared(acting("start"), declared);
    await judge(affected);
  }
}

async function remove(running: Running, { app }: DecidedStep, targets: readonly ProcessRecord[]): Promise<void> {
  for (const target of targets) await actOn(actingOn(running, app)("delete"), target);
}

/** The gate checks how long a process stays online, so the action itself ends as soon as it is online. */
function actingOn({ ports, demandOf }: Running, app: string): (action: ProcessAction) => Acting {
  const { deadlineMs: timeoutMs } = demandOf(app);
  return (action) => ({ ports, action, begin: () => Promise.resolve(), timeoutMs, stableMs: 0 });
}

async function update(running: Running, app: string, acting: Acting, target: ProcessRecord): Promise<void> {
  const gate = new Gate(running.ports, running.demandOf(app));
  const meanwhile = { look: (now: ProcessRecord) => gate.look(now), owed: running.owed };
  const judge: Acting["judge"] = (affected) => judged(running, affected, gate);
  await actOn({ ...acting, meanwhile, judge }, target);
}

async function judged(running: Running, affected: readonly AffectedProcess[], begun?: Gate): Promise<void> {
  for (const one of affected) {
    const gate = begun ?? new Gate(running.ports, running.demandOf(one.name));
    const bootMs = await gate.passed(one);
    if (bootMs !== undefined) running.booted(one.name, bootMs);
  }
}

async function scale(running: Running, { app, instances }: DecidedStep): Promise<void> {
  const { to = 0 } = instances ?? {};
  const siblings = (await running.ports.processes.list()).filter(({ name }) => name === app);
  const scaling = { ...actingOn(running, app)("start"), report: undefined };
  if (siblings.length >= to) return void (await scaleDown(scaling, siblings, siblings.length - to));
  await judged(running, await scaleUp(scaling, siblings, to - siblings.length));
}

function droppedBy({ why }: DecidedStep): string[] {
  return why.flatMap(({ field, state, key }) => (field === "env" && state === "stale" && key !== null ? [key] : []));
}
