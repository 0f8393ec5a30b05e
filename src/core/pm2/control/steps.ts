import type { InputOf } from "../../api/inputs.ts";
import type { Issue } from "../../api/issue.ts";
import type { ProcessAction, ProcessScope } from "../../api/names.ts";
import { declaredApps } from "../declared.ts";
import { declarationOf, type Declaration } from "../declaration.ts";
import { ecosystemSpellings, spellingsOf } from "../environment.ts";
import { shellQuote } from "../command.ts";
import { driftOf } from "../drift.ts";
import { expectedApps, type ExpectedApp } from "../expected.ts";
import { visibleKeys } from "../../env/tiers.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports.ts";
import { foldersOf } from "../problem.ts";
import { isOwn } from "../own.ts";
import { label, notFound, resolveTarget, targetName } from "../target.ts";
import type { ProcessRecord } from "../process-record.ts";
import { readEcosystem } from "../ecosystem-file.ts";
import { actOn, skipped, type Acting, type SkippedProcess } from "./act-on.ts";
import { listOrNone } from "./known.ts";
import { noteProcesses, type ActionSubject, type Named } from "./recorded.ts";
import type { Step } from "./run-all.ts";
import { startDeclared } from "./start-declared.ts";
import { warningsOf } from "./warnings.ts";

type Input = InputOf<"process.act"> & { readonly scope: ProcessScope };

/** What an input means: the steps, each for one process or app, and what is left alone from the start. */
export interface Steps {
  readonly name: string;
  readonly of: (acting: Acting) => Step[];
  readonly skipped: readonly SkippedProcess[];
  /** What is to be said beside the success, once everything is done. */
  readonly warnings: () => Promise<Issue[]>;
}

const NO_WARNINGS = (): Promise<Issue[]> => Promise.resolve([]);

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
    warnings: NO_WARNINGS,
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
  const { declarations, expected, visible } = await declarationsFor(ports, input, about);
  const names = declarations.map((declared) => declared.name);
  const warnings = async (): Promise<Issue[]> => {
    // The action is done: if PM2 is gone by now, nothing is said of its processes.
    const list = await ports.processes.list().catch(() => []);
    const running = list.filter((record) => names.includes(record.name));
    const missingFolders = ports.stamps.missing(foldersOf(running));
    const facts = { expected, running, visibleKeys: visible, missingFolders, modifiedMs: () => undefined };
    return warningsOf(declarations, driftOf(facts).drift);
  };
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
      declarations.map((declared) => ({ what: declared.name, run: () => startDeclared(acting, declared) }));
    return { name, of, skipped: [], warnings };
  }
  const list = await ports.processes.list();
  const targets = names.flatMap((app) => resolveTarget(list, { scope: "process", name: app }));
  noteProcesses(about, ports, targets);
  const { others, own } = guarded(ports, action, targets, isEvery);
  const of = (acting: Acting): Step[] =>
    others.map((record) => {
      const declared = declarations.find((one) => one.name === record.name);
      return { what: label(record), run: () => actOn({ ...acting, declared }, record) };
    });
  return { name, of, skipped: own, warnings };
}

interface Asked {
  readonly declarations: readonly Declaration[];
  readonly expected: readonly ExpectedApp[];
  /** Keys that the runtime contract shows. */
  readonly visible: ReadonlySet<string>;
}

/** The apps that are asked for, or all that the file of the environment declares. */
async function declarationsFor(ports: Ports, input: Input, about: ActionSubject): Promise<Asked> {
  const { action, pmId, pmIds = [], namespace } = input;
  if (action === "stop" || pmId !== undefined || pmIds.length > 0 || namespace !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: "With the scope ecosystem, apps are started or restarted by their names alone.",
    });
  const [contract, matrix] = await Promise.all([ports.facts.runtimeContract(), ports.facts.capabilityMatrix()]);
  const file = await readEcosystem(ports, { contract, matrix }, input.environment);
  about.environment = file.name;
  const { loaded } = file;
  if (loaded === undefined) throw noEcosystem(file.path);
  const machine = { cpuCores: ports.host.cpuCores() };
  const all = [...new Set(declaredApps(loaded, machine).map(({ name }) => name))].filter((name) => name !== "");
  const asked = [...new Set([...(input.name === undefined ? [] : [input.name]), ...(input.names ?? [])])];
  const unknown = asked.find((name) => !all.includes(name));
  if (unknown !== undefined) throw notFound(`app of ${file.fileName} is called`, unknown, all);
  const spellings = spellingsOf(ecosystemSpellings(contract, matrix), file.name);
  const wanted = asked.length === 0 ? all : asked;
  const declarations = wanted.map((name) => declarationOf(loaded, name, { machine, spellings }));
  for (const declaration of declarations) refuseUnstartable(declaration, file.path);
  const digest = (value: string): string => ports.processes.digest(value);
  const expected = expectedApps(loaded, { machine, spellings, digest }).filter(({ name }) => wanted.includes(name));
  return { declarations, expected, visible: new Set(visibleKeys(contract)) };
}

/** What cannot run as it is declared is not tried. @throws {SvcmError} PROCESS_ACTION_FAILED */
function refuseUnstartable({ name, missingFolder, blocks: [block] }: Declaration, path: string): void {
  const app = JSON.stringify(name);
  if (missingFolder !== undefined)
    throw new SvcmError("PROCESS_ACTION_FAILED", {
      code: "PROCESS_FOLDER_MISSING",
      details: `The app ${app} runs in the folder ${missingFolder}, which does not exist.`,
      hint: "Create the folder, or correct cwd in the ecosystem file.",
    });
  if (block === undefined) return;
  const environment = block.slice("env_".length);
  throw new SvcmError("PROCESS_ACTION_FAILED", {
    code: "ECOSYSTEM_ENV_BLOCK_UNUSED",
    path,
    details: `The app ${app} has the block ${block}, which only "pm2 start --env ${environment}" applies: svcm would run the app without it.`,
    hint: `Move the variables of ${block} to env, or run: pm2 start ${shellQuote(path)} --only ${shellQuote(name)} --env ${environment}`,
  });
}

function noEcosystem(path: string): SvcmError {
  return new SvcmError("PROCESS_NOT_FOUND", {
    code: "PROCESS_NOT_FOUND",
    path,
    details: "The environment has no ecosystem file, so no app is declared.",
  });
}
