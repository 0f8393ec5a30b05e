import { shellQuote, pluralize } from "../../core/words/text.ts";
import * as Flags from "@oclif/core/flags";
import { processAct, processList, SvcmError, type ProcessActionResult, type Caller } from "../../core/index.ts";
import { ecosystemFlags, type SvcmCommand } from "../base.ts";
import { fold } from "./table.ts";
import { namesArg } from "./flags.ts";
import { canPrompt, confirmChange, requirePrompt } from "./prompt.ts";
import { type Screen, isStderrTerminal, stderrScreen, printable } from "./screen.ts";
import { readTimeout } from "./numbers.ts";
import { UsageError } from "./errors.ts";
import { writeErr } from "./output.ts";

export const processArgs = namesArg("Exact name of an app. All of its instances are affected.");

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
  timeout: Flags.string({
    summary: "Time limit for each process, from 1s to 1h. Defaults to 20s.",
    helpValue: "<time>",
  }),
};

export const waitFlag = Flags.boolean({
  summary: "Also wait until each process answers its health probe.",
  default: false,
});

/** @param summary describes the effect of the ecosystem file */
export const startFlags = (summary: string) => ({
  ...processFlags,
  wait: waitFlag,
  ecosystem: Flags.boolean({ summary, default: false }),
  ...ecosystemFlags,
});

interface ProcessFlags {
  readonly wait?: boolean;
  readonly timeout?: string | undefined;
  readonly id?: readonly number[] | undefined;
  readonly namespace?: string | undefined;
  readonly ecosystem?: boolean;
  readonly environment?: string | undefined;
  readonly service?: string | undefined;
}

type Action = ProcessActionResult["action"];

/** @throws {UsageError} if the command line names no process */
export function readTarget(
  names: readonly string[] = [],
  { id: ids = [], namespace, ecosystem: hasEcosystem, environment, service, timeout, wait }: ProcessFlags,
) {
  const ecosystem = hasEcosystem ?? false;
  if (!ecosystem) refuseUnused({ "--environment": environment, "--service": service });
  const count = names.length + ids.length;
  if (count === 0 && namespace === undefined && !ecosystem) throw noProcessGiven(hasEcosystem !== undefined);
  const scope: ProcessActionResult["scope"] = ecosystem ? "ecosystem" : count > 0 ? "process" : "namespace";
  const common = { scope, namespace, environment, service, wait: wait || undefined, timeoutMs: readTimeout(timeout) };
  if (count > 1) return { ...common, names: [...names], pmIds: [...ids] };
  return { ...common, name: names[0], pmId: ids[0] };
}

function noProcessGiven(canStartDeclared: boolean): UsageError {
  const list = "svcm ls shows the processes";
  return new UsageError(
    "No process was given. Accepted: NAME, --id or --namespace.",
    canStartDeclared ? `svcm apply runs every app that the ecosystem file declares; ${list}` : list,
  );
}

function refuseUnused(flags: Readonly<Record<string, string | undefined>>): void {
  const unused = Object.keys(flags).find((flag) => flags[flag] !== undefined);
  if (unused === undefined) return;
  throw new UsageError(`${unused} has no effect without --ecosystem.`, `add --ecosystem, or leave ${unused} out`);
}

export async function act(
  command: SvcmCommand,
  action: Action,
  target: ReturnType<typeof readTarget>,
): Promise<ProcessActionResult> {
  const names = targetNames(target);
  const subject = names.length === 0 ? "processes" : names.join(", ");
  const initialText = `waiting until PM2 ${EXPECTED_STATES[action](names.length === 1 ? "it" : "them")}`;
  const { report, end } = showProgress(command, `${PROGRESS_VERBS[action]} ${subject}`, initialText);
  const execution = command.execute(processAct, { action, ...target }, { report });
  const result = await execution
    .catch((error: unknown) => Promise.reject(withNameHint(error, action, names) as Error))
    .finally(end);
  command.print((screen) => renderAction(result, screen));
  return result;
}

export async function confirmAction(
  command: SvcmCommand,
  [verb, participle]: readonly [verb: string, participle: string],
  target: ReturnType<typeof readTarget>,
): Promise<boolean> {
  if (target.scope === "namespace") requirePrompt(canPrompt(command), `${verb} of a whole namespace`, "--yes");
  if (!canPrompt(command)) return true;
  const { processes } = await command.execute(processList, {});
  const isTargeted = ({ name, pmId, namespace }: (typeof processes)[number]): boolean => {
    if (target.scope === "namespace") return namespace === target.namespace;
    const ids = "pmIds" in target ? target.pmIds : [target.pmId];
    return targetNames(target).includes(name) || ids.includes(pmId);
  };
  const names = processes.filter(isTargeted).map(({ name, pmId }) => `${name} (id ${pmId})`);
  const scopeText =
    target.scope === "namespace"
      ? `all ${pluralize(names.length, "process", "processes")} of the namespace ${target.namespace}: `
      : "";
  return names.length === 0 || confirmChange(command, `${verb} ${scopeText}${names.join(", ")}?`, participle);
}

function targetNames(target: ReturnType<typeof readTarget>): readonly string[] {
  if ("names" in target) return target.names;
  return target.name === undefined ? [] : [target.name];
}

const PROGRESS_VERBS: Readonly<Record<Action, string>> = {
  start: "Starting",
  stop: "Stopping",
  restart: "Restarting",
  reload: "Reloading",
  delete: "Deleting",
};

const listedAsOnline = (them: string): string => `lists ${them} as online`;
const EXPECTED_STATES: Readonly<Record<Action, (them: string) => string>> = {
  start: listedAsOnline,
  stop: (them) => `lists ${them} as stopped`,
  restart: listedAsOnline,
  reload: listedAsOnline,
  delete: (them) => `no longer lists ${them}`,
};

/** PM2 accepts an id or `all` as a name, but svcm takes names literally. */
function withNameHint(error: unknown, action: Action, names: readonly string[]): unknown {
  if (!(error instanceof SvcmError) || error.kind !== "PROCESS_NOT_FOUND") return error;
  const number = names.find((name) => /^\d+$/.test(name));
  const hint =
    number !== undefined
      ? `${number} is taken as a name. For the process with that number: svcm ${action} --id ${number}`
      : names.includes("all")
        ? `all is taken as a name. For several processes: svcm ${action} --namespace <name>, or give each name`
        : error.body.hint;
  return new SvcmError(error.kind, { ...error.body, hint });
}

const SUCCESS_VERBS: Readonly<Record<Action, string>> = {
  start: "Started",
  stop: "Stopped",
  restart: "Restarted",
  reload: "Reloaded",
  delete: "Deleted",
};

function renderAction(result: ProcessActionResult, screen: Screen): string {
  const { action, affected, applied = [], skipped, warnings } = result;
  const affectedLines = affected.map(({ name, pmId, pid }) => {
    const isUp = pid !== null && action !== "delete" && action !== "stop";
    return `${SUCCESS_VERBS[action]} ${name} (id ${pmId}${isUp ? `, pid ${pid}` : ""}).`;
  });
  const appliedLines = [...new Set(applied.map(({ name }) => name))].map((name) => {
    const fields = applied.filter((one) => one.name === name);
    return `Now effective in ${name}: ${fields.map(({ field, key }) => (key === null ? field : `${field} ${key}`)).join(", ")}.`;
  });
  const skippedLines = skipped.map(({ name, pmId, reason }) => `${name} (id ${pmId}) ${SKIP_REASONS[reason](name)}`);
  return fold(
    [...affectedLines, ...appliedLines, ...skippedLines, ...warnings.map(({ message }) => `Warning: ${message}`)].join(
      "\n",
    ),
    screen,
  );
}

const SKIP_REASONS = {
  SELF_ACTION_BLOCKED: () => "serves this request, so svcm left it alone.",
  ALREADY_RUNNING: (name: string) => `is already running. To restart it: svcm restart ${shellQuote(name)}`,
  ALREADY_STOPPED: () => "is not running.",
  ALREADY_DELETED: () => "is already deleted.",
  JOB_WAITS: (name: string) => `does not run now, as it should. To run it once: svcm run ${shellQuote(name)}`,
} as const;

const ERASE_LINE = "\r\u001B[K";

export interface ActionProgress {
  readonly report: NonNullable<Caller["report"]>;
  readonly end: () => void;
}

export function showProgress(command: SvcmCommand, activity: string, initialText: string): ActionProgress {
  if (!command.isInteractive || !isStderrTerminal() || process.env["TERM"] === "dumb")
    return { report: () => undefined, end: () => undefined };
  const line = (text: string): string => printable(`${activity}: ${text} …`, stderrScreen());
  writeErr(line(initialText));
  return {
    report: ({ done, total, label }) => writeErr(`${ERASE_LINE}${line(`${done} of ${total} done, last ${label}`)}`),
    end: () => writeErr(ERASE_LINE),
  };
}
