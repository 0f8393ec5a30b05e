import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { processAct, SvcmError, type ProcessActionResult } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { fold } from "./fold.ts";
import { writeErr } from "./output.ts";
import { printable } from "./printable.ts";
import { isTerminalBehindStderr, stderrScreen, type Screen } from "./screen.ts";
import { UsageError } from "./errors.ts";

export const processArgs = {
  name: Args.string({
    ignoreStdin: true,
    description: "Exact name of an app. All of its instances are affected.",
    multiple: true,
  }),
};

export const processFlags = {
  id: Flags.integer({
    summary: "PM2 id of a process. Can be repeated.",
    helpValue: "<n>",
    min: 0,
    multiple: true,
  }),
  namespace: Flags.string({
    summary: "All processes in this PM2 namespace. With names or ids, only those in it.",
    helpValue: "<name>",
  }),
};

interface ProcessFlags {
  readonly id?: readonly number[] | undefined;
  readonly namespace?: string | undefined;
  readonly ecosystem?: boolean;
  readonly environment?: string | undefined;
  readonly service?: string | undefined;
}

type Action = ProcessActionResult["action"];

/** @throws {UsageError} if the command line names no process */
export function targetOf(
  names: readonly string[] = [],
  { id: ids = [], namespace, ecosystem = false, environment, service }: ProcessFlags,
) {
  if (!ecosystem) refuseUnused({ "--environment": environment, "--service": service });
  const count = names.length + ids.length;
  if (count === 0 && namespace === undefined && !ecosystem)
    throw new UsageError(
      "No process was given. Accepted: NAME, --id or --namespace.",
      "svcm process list shows the processes",
    );
  const scope: ProcessActionResult["scope"] = ecosystem ? "ecosystem" : count > 0 ? "process" : "namespace";
  const [name, pmId] = [names[0], ids[0]];
  if (count > 1) return { scope, names: [...names], pmIds: [...ids], namespace, environment, service };
  return { scope, name, pmId, namespace, environment, service };
}

function refuseUnused(flags: Readonly<Record<string, string | undefined>>): void {
  const unused = Object.keys(flags).find((flag) => flags[flag] !== undefined);
  if (unused === undefined) return;
  throw new UsageError(`${unused} has no effect without --ecosystem.`, `add --ecosystem, or leave ${unused} out`);
}

export async function act(
  command: SvcmCommand,
  action: Action,
  target: ReturnType<typeof targetOf>,
): Promise<ProcessActionResult> {
  const names = namesIn(target);
  const end = showProgress(command, action, names);
  const acting = command.execute(processAct, { action, ...target });
  const result = await acting
    .catch((error: unknown) => Promise.reject(withHabit(error, action, names) as Error))
    .finally(end);
  command.print((screen) => renderAction(result, screen));
  return result;
}

function namesIn(target: ReturnType<typeof targetOf>): readonly string[] {
  if ("names" in target) return target.names;
  return target.name === undefined ? [] : [target.name];
}

const DOING = { start: "Starting", stop: "Stopping", restart: "Restarting" } as const;
const ERASE_LINE = "\r\u001B[K";

/** Shows a line on standard error of a terminal until the returned function is called. */
function showProgress(command: SvcmCommand, action: Action, names: readonly string[]): () => void {
  if (command.jsonEnabled() || !isTerminalBehindStderr() || process.env["TERM"] === "dumb") return () => {};
  const what = names.length === 0 ? "processes" : names.join(", ");
  const state = action === "stop" ? "stopped" : "online";
  writeErr(
    printable(
      `${DOING[action]} ${what}: waiting until PM2 lists ${names.length === 1 ? "it" : "them"} as ${state} …`,
      stderrScreen(),
    ),
  );
  return () => writeErr(ERASE_LINE);
}

/** PM2 takes a number or `all` as a name, but svcm takes names exactly. */
function withHabit(error: unknown, action: Action, names: readonly string[]): unknown {
  if (!(error instanceof SvcmError) || error.kind !== "PROCESS_NOT_FOUND") return error;
  const number = names.find((name) => /^\d+$/.test(name));
  const hint =
    number !== undefined
      ? `${number} is taken as a name. For the process with that number: svcm process ${action} --id ${number}`
      : names.includes("all")
        ? `all is taken as a name. For several processes: svcm process ${action} --namespace <name>, or give each name`
        : error.body.hint;
  return new SvcmError(error.kind, { ...error.body, ...(hint !== undefined && { hint }) });
}

const DONE = { start: "Started", stop: "Stopped", restart: "Restarted" } as const;

function renderAction({ action, affected, skipped, warnings }: ProcessActionResult, screen: Screen): string {
  const done = affected.map(
    ({ name, pmId, pid }) => `${DONE[action]} ${name} (id ${pmId}${pid === null ? "" : `, pid ${pid}`}).`,
  );
  const left = skipped.map(({ name, pmId, reason }) => `${name} (id ${pmId}) ${WHY[reason](name)}`);
  return fold([...done, ...left, ...warnings.map(({ message }) => `Warning: ${message}`)].join("\n"), screen);
}

const WHY = {
  SELF_ACTION_BLOCKED: () => "serves this request, so svcm left it alone.",
  ALREADY_RUNNING: (name: string) => `is already running. To restart it: svcm process restart ${name}`,
  ALREADY_STOPPED: () => "is not running.",
} as const;
