import type { InputOf } from "../../contract/inputs.ts";
import type { ProcessAction, ProcessScope } from "../../contract/names.ts";
import { declaredApps } from "../../ecosystem/declared.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports.ts";
import { isOwn } from "../../process/own.ts";
import type { DeclaredIn } from "../../process/ports.ts";
import { label, notFound, resolveTarget, targetName } from "../../process/target.ts";
import type { ProcessRecord } from "../../telemetry/process-record.ts";
import { readEcosystem } from "../ecosystem-file.ts";
import { actOn, skipped, type Acting, type SkippedProcess } from "./act-on.ts";
import { listOrNone } from "./known.ts";
import { noteProcesses, type ActionSubject, type Named } from "./recorded.ts";
import type { Step } from "./run-all.ts";
import { startDeclared } from "./start-declared.ts";

type Input = InputOf<"process.act"> & { readonly scope: ProcessScope };

/** What an input means: the steps, each for one process or app, and what is left alone from the start. */
export interface Steps {
  readonly name: string;
  readonly of: (acting: Acting) => Step[];
  readonly skipped: readonly SkippedProcess[];
}

/**
 * Finds out what an input means, and notes what it is about as far as that is known.
 *
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, INVALID_REQUEST, PM2_FAILED, and for
 *   the scope `ecosystem` those of reading its file.
 */
export function stepsFor(ports: Ports, input: Input, about: ActionSubject): Promise<Steps> {
  const { scope } = input;
  return scope === "ecosystem" ? declaredSteps(ports, input, about) : listedSteps(ports, { ...input, scope }, about);
}

async function listedSteps(
  ports: Ports,
  input: Input & { readonly scope: "process" | "namespace" },
  about: ActionSubject,
): Promise<Steps> {
  const targets = resolveTarget(await ports.processes.list(), input);
  noteProcesses(about, ports, targets);
  if (input.scope === "process") delete about.target;
  const { others, own } = guarded(ports, input.action, targets, input.scope === "namespace");
  return {
    name: targetName(input, targets),
    of: (acting) => others.map((record) => ({ what: label(record), run: () => actOn(acting, record) })),
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
async function declaredSteps(ports: Ports, input: Input, about: ActionSubject): Promise<Steps> {
  const { action } = input;
  const { names, ...declared } = await declaredNames(ports, input, about);
  const isEvery = input.name === undefined && (input.names ?? []).length === 0;
  const name = isEvery ? "*" : names.join(", ");
  if (action === "start") {
    const known = await listOrNone(ports.processes);
    noteProcesses(
      about,
      ports,
      names.flatMap((app): readonly Named[] => {
        const found = known.filter((record) => record.name === app);
        return found.length > 0 ? found : [{ name: app, pmId: null }];
      }),
    );
    const of = (acting: Acting): Step[] =>
      names.map((app) => ({ what: app, run: () => startDeclared(acting, app, declared) }));
    return { name, of, skipped: [] };
  }
  const list = await ports.processes.list();
  const targets = names.flatMap((app) => resolveTarget(list, { scope: "process", name: app }));
  noteProcesses(about, ports, targets);
  const { others, own } = guarded(ports, action, targets, isEvery);
  const of = (acting: Acting): Step[] =>
    others.map((record) => ({ what: label(record), run: () => actOn({ ...acting, declared }, record) }));
  return { name, of, skipped: own };
}

/** The apps that are asked for, or all that the file of the environment declares. */
async function declaredNames(
  ports: Ports,
  input: Input,
  about: ActionSubject,
): Promise<DeclaredIn & { readonly names: readonly string[] }> {
  const { action, pmId, pmIds = [], namespace } = input;
  if (action === "stop" || pmId !== undefined || pmIds.length > 0 || namespace !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: "With the scope ecosystem, apps are started or restarted by their names alone.",
    });
  const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
  const file = await readEcosystem(ports, { contract, matrix }, input.environment);
  about.environment = file.name;
  if (file.loaded === undefined) throw noEcosystem(file.path);
  const apps = declaredApps(file.loaded, { cpuCores: ports.host.cpuCores() });
  const all = [...new Set(apps.map(({ name }) => name).filter((name) => name !== ""))];
  const asked = [...new Set([...(input.name === undefined ? [] : [input.name]), ...(input.names ?? [])])];
  const unknown = asked.find((name) => !all.includes(name));
  if (unknown !== undefined) throw notFound(`app of ${file.fileName} is called`, unknown, all);
  return { file: file.path, cwd: ports.workspace.root, names: asked.length === 0 ? all : asked };
}

function noEcosystem(path: string): SvcmError {
  return new SvcmError("PROCESS_NOT_FOUND", {
    code: "PROCESS_NOT_FOUND",
    path,
    details: "The environment has no ecosystem file, so no app is declared.",
  });
}
