import type { InputOf } from "../contract/inputs.ts";
import type { ProcessAction, ProcessScope } from "../contract/names.ts";
import { SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import type { Ports } from "../ports.ts";
import { isOwn } from "../process/own.ts";
import { label, notFound, resolveTarget, targetName } from "../process/target.ts";
import type { ProcessRecord } from "../telemetry/process-record.ts";
import { audited } from "./audited.ts";
import { attempted, noteOutcome, noteProcesses, type ActionSubject } from "./process/recorded.ts";
import { readEcosystem } from "./ecosystem-file.ts";
import { declaredApps } from "../ecosystem/declared.ts";
import {
  actOn,
  skipped,
  type Acting,
  type AffectedProcess,
  type Outcome,
  type SkippedProcess,
} from "./process/act-on.ts";
import { runAll, type Step } from "./process/run-all.ts";
import { startDeclared } from "./process/start-declared.ts";

/** What was done: the same for the command line, and for a frame of the WebSocket. */
export interface ProcessActionResult {
  readonly ok: true;
  readonly action: ProcessAction;
  readonly scope: ProcessScope;
  /** As it was asked for: of the app, or of the namespace; `*` for every app of the ecosystem file. */
  readonly name: string;
  /** Where one process was asked for by its number, or was the only one. */
  readonly pmId?: number;
  readonly affected: readonly AffectedProcess[];
  /** What was left alone, and why: it is as asked already, or it serves this request. */
  readonly skipped: readonly SkippedProcess[];
}

type Input = InputOf<"process.act">;

/** What an input means: the steps, each for one process or app, and what is left alone from the start. */
interface Plan {
  readonly name: string;
  readonly steps: (acting: Acting) => Step[];
  readonly skipped: readonly SkippedProcess[];
}

/**
 * Starts, stops or restarts processes of PM2, and answers when PM2's list shows it. Recorded before the
 * first effect; where that cannot be, nothing happens.
 *
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, PROCESS_ACTION_FAILED,
 *   PM2_FAILED, AUDIT_FAILED, and for the scope `ecosystem` those of reading its file.
 * @see CONTRACT section 4
 */
export const processAct = defineOperation({
  id: "process.act",
  access: "write",
  refusal: "INVALID_REQUEST",
  async run(ports, input, caller): Promise<ProcessActionResult> {
    const { action, scope = "process" } = input;
    const about = attempted(input);
    const attempt = async (begin: () => Promise<void>): Promise<ProcessActionResult> => {
      const plan =
        scope === "ecosystem"
          ? await declaredPlan(ports, input, about)
          : await listedPlan(ports, { ...input, scope }, about);
      let begun: Promise<void> | undefined;
      const outcome = await runAll(action, plan.steps({ ports, action, begin: () => (begun ??= begin()) }));
      const done = result(input, scope, plan, outcome);
      noteOutcome(about, ports, done);
      return done;
    };
    return await audited(ports, caller, () => about, attempt, { isAlwaysRecorded: true });
  },
});

async function listedPlan(
  ports: Ports,
  input: Input & { readonly scope: "process" | "namespace" },
  about: ActionSubject,
): Promise<Plan> {
  const targets = resolveTarget(await ports.processes.list(), input);
  noteProcesses(about, ports, targets);
  if (input.scope === "process") delete about.target;
  const { others, own } = guarded(ports, input.action, targets, input.scope === "namespace");
  return {
    name: input.scope === "process" ? (targets[0]?.name ?? targetName(input)) : targetName(input),
    steps: (acting) => others.map((record) => ({ what: label(record), run: () => actOn(acting, record) })),
    skipped: own,
  };
}

/** Who serves the request is not stopped by it. @throws {SvcmError} SELF_ACTION_BLOCKED unless it may be left out. */
function guarded(ports: Ports, action: ProcessAction, targets: readonly ProcessRecord[], mayLeaveOut: boolean) {
  if (action === "start") return { others: targets, own: [] };
  const us = ports.processes.own();
  const [own, others] = [targets.filter((record) => isOwn(record, us)), targets.filter((record) => !isOwn(record, us))];
  const [first] = own;
  if (first !== undefined && !mayLeaveOut) {
    throw new SvcmError("SELF_ACTION_BLOCKED", {
      code: "SELF_ACTION_BLOCKED",
      details: `${label(first)} serves this request: it cannot ${action} itself.`,
      hint: `From a terminal: svcm process ${action} ${first.name} --id ${first.pmId}`,
    });
  }
  return { others, own: own.map((record) => skipped(record, "SELF_ACTION_BLOCKED")) };
}

/** Apps by their declaration: `start` those that PM2 does not know, `restart` with the declared environment. */
async function declaredPlan(ports: Ports, input: Input, about: ActionSubject): Promise<Plan> {
  const { action, name, pmId, namespace } = input;
  if (action === "stop" || pmId !== undefined || namespace !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: "With the scope ecosystem, apps are started or restarted by their names alone.",
    });
  const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
  const file = await readEcosystem(ports, { contract, matrix }, input.environment);
  about.environment = file.name;
  const apps = file.loaded === undefined ? [] : declaredApps(file.loaded, { cpuCores: ports.host.cpuCores() });
  const names = [...new Set(apps.map((app) => app.name).filter((declaredName) => declaredName !== ""))];
  if (file.loaded === undefined) throw noEcosystem(file.path);
  if (name !== undefined && !names.includes(name)) throw notFound(`app of ${file.fileName} is called`, name, names);
  const declared = { file: file.path, cwd: ports.workspace.root };
  const wanted = name === undefined ? names : [name];
  const called = name ?? "*";
  if (action === "start") {
    noteProcesses(
      about,
      ports,
      wanted.map((app) => ({ name: app, pmId: null })),
    );
    const steps = (acting: Acting): Step[] =>
      wanted.map((app) => ({ what: app, run: () => startDeclared(acting, app, declared) }));
    return { name: called, steps, skipped: [] };
  }
  const list = await ports.processes.list();
  const targets = wanted.flatMap((app) => resolveTarget(list, { scope: "process", name: app }));
  noteProcesses(about, ports, targets);
  const { others, own } = guarded(ports, action, targets, name === undefined);
  const steps = (acting: Acting): Step[] =>
    others.map((record) => ({ what: label(record), run: () => actOn({ ...acting, declared }, record) }));
  return { name: called, steps, skipped: own };
}

function noEcosystem(path: string): SvcmError {
  return new SvcmError("PROCESS_NOT_FOUND", {
    code: "PROCESS_NOT_FOUND",
    path,
    details: "The environment has no ecosystem file, so no app is declared.",
  });
}

function result({ action, pmId }: Input, scope: ProcessScope, plan: Plan, outcome: Outcome): ProcessActionResult {
  const affected = outcome.affected.toSorted((a, b) => a.pmId - b.pmId);
  const skippedAll = [...plan.skipped, ...outcome.skipped].toSorted((a, b) => a.pmId - b.pmId);
  const only = affected.length + skippedAll.length === 1 ? (affected[0] ?? skippedAll[0])?.pmId : undefined;
  const number = pmId ?? only;
  const common = { ok: true, action, scope, name: plan.name } as const;
  return { ...common, ...(number !== undefined && { pmId: number }), affected, skipped: skippedAll };
}
