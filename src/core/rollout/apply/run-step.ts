import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import { actOn } from "../../pm2/control/act-on.ts";
import type { Acting, Outcome } from "../../pm2/control/acting.ts";
import { scaleDown, scaleUp } from "../../pm2/control/scale.ts";
import { startDeclared } from "../../pm2/control/start-declared.ts";
import { declarationOf, type Declaration } from "../../pm2/declaration.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import type { DecidedStep } from "../decide.ts";
import type { Expecting } from "../expected.ts";
import { definitionOf } from "../plan.ts";
import { gate, probeOf } from "./gate.ts";

export interface Running {
  readonly ports: Ports;
  readonly loaded: LoadedEcosystem;
  readonly expecting: Expecting;
  /** The processes that the plan was computed from. */
  readonly before: readonly ProcessRecord[];
  readonly timeoutMs: number | undefined;
}

/**
 * Runs one step, process by process, and returns when each is online and answers its probe.
 *
 * @throws {SvcmError} PM2_FAILED with the code `PROCESS_CHANGED` if another definition runs than the plan saw; those of the
 *   actions
 */
export async function runStep(running: Running, step: DecidedStep): Promise<void> {
  if (step.do === "save") return running.ports.processes.save();
  if (step.do === "scale") return scale(running, step);
  const { ports, loaded, expecting, timeoutMs } = running;
  const declared = declarationOf(loaded, step.app, expecting);
  const acting = (action: ProcessAction): Acting => ({ ports, action, begin: () => Promise.resolve(), timeoutMs });
  const judge = judgeOf(running, declared);
  for (const target of await untouched(running, step)) {
    const run = { app: { ...declared.apps.at(-1), env: declared.env }, folder: declared.folder, drop: droppedBy(step) };
    if (step.do === "update")
      await judge(await actOn({ ...acting(step.method ?? "restart"), declared: () => run }, target));
    else if (step.do === "resume") await judge(await actOn(acting("start"), target));
    else await actOn(acting("delete"), target);
  }
  if (step.do === "start" || step.do === "replace") await judge(await startDeclared(acting("start"), declared));
}

/** Judges the processes that an action touched by the gate, one after another. */
function judgeOf({ ports, timeoutMs }: Running, { name, env }: Declaration) {
  const probe = probeOf(name, env);
  return async ({ affected }: Pick<Outcome, "affected">): Promise<void> => {
    for (const one of affected) await gate(ports, one, { probe, timeoutMs });
  };
}

async function scale(running: Running, { app, instances }: DecidedStep): Promise<void> {
  const { ports, loaded, expecting, timeoutMs } = running;
  const { to = 0 } = instances ?? {};
  const siblings = (await ports.processes.list()).filter(({ name }) => name === app);
  const scaling = { ports, timeoutMs, begin: () => Promise.resolve(), report: undefined };
  if (siblings.length >= to) return void (await scaleDown(scaling, siblings, siblings.length - to));
  const affected = await scaleUp(scaling, siblings, to - siblings.length);
  await judgeOf(running, declarationOf(loaded, app, expecting))({ affected });
}

/** The processes of a step. Each has to be the one that the plan saw, with the same definition. */
async function untouched({ ports, before }: Running, { pmIds }: DecidedStep): Promise<ProcessRecord[]> {
  if (pmIds.length === 0) return [];
  const { list } = await ports.processes.keyed();
  const now = await list();
  return pmIds.map((pmId) => {
    const seen = before.find((record) => record.pmId === pmId);
    const found = now.find((record) => record.pmId === pmId);
    if (found !== undefined && seen !== undefined && definitionOf(found) === definitionOf(seen)) return found;
    throw new SvcmError("PM2_FAILED", {
      code: "PROCESS_CHANGED",
      details: `The process with PM2's number ${pmId} changed after the plan was computed.`,
      hint: "Read the new plan: svcm plan",
    });
  });
}

function droppedBy({ why }: DecidedStep): string[] {
  return why.flatMap(({ field, state, key }) => (field === "env" && state === "stale" && key !== null ? [key] : []));
}
