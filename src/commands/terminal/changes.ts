import * as Flags from "@oclif/core/flags";
import {
  type EnvUnsetResponse,
  type EnvWriteResponse,
  type Issue,
  type KeysEditResponse,
  locationText,
} from "../../core/index.ts";
import { type LineChange, pluralize, shellQuote } from "../../core/words/text.ts";
import type { SvcmCommand } from "../base.ts";
import { paint } from "./screen.ts";
import { groupBy } from "../../core/words/record.ts";

export function renderDryRun({
  fileName,
  changes,
  warnings = [],
}: {
  readonly fileName: string;
  readonly changes: readonly LineChange[];
  readonly warnings?: readonly Issue[];
}): string {
  if (changes.length === 0) return `No change in ${fileName}.`;
  const hunks = changes.flatMap(({ line, before, after }) => [
    paint.cyan(`@@ line ${line} @@`),
    ...before.map((text) => paint.red(`-${text}`)),
    ...after.map((text) => paint.green(`+${text}`)),
  ]);
  return [paint.bold(`${fileName} (dry run, nothing is written)`), ...hunks, ...warningLines(warnings)].join("\n");
}

export function renderWrite({ fileName, changedKeys, values, warnings }: EnvWriteResponse): string {
  if (changedKeys.length === 0) return `No change in ${fileName}.`;
  const lines = changedKeys.map((key) => `  ${key}=${values[key] ?? ""}`);
  return [`Changed in ${fileName}:`, ...lines, ...warningLines(warnings)].join("\n");
}

export function renderRemoval(response: EnvWriteResponse & Pick<EnvUnsetResponse, "effective">): string {
  const { fileName, changedKeys, effective, warnings } = response;
  const head =
    changedKeys.length === 0 ? `No change in ${fileName}.` : `Removed from ${fileName}: ${changedKeys.join(", ")}`;
  return [head, ...effective.map(effectiveLine), ...warningLines(warnings)].join("\n");
}

function effectiveLine({ key, value, from, fileName = "" }: EnvUnsetResponse["effective"][number]): string {
  if (from === "nowhere") return `  ${key} is not set.`;
  return `  ${key} is ${value === "" ? "empty" : value}, ${from === "file" ? `from ${fileName}` : "the default"}.`;
}

function warningLines(warnings: readonly Issue[]): string[] {
  return warnings.map(({ at, message, code }) => {
    return `${paint.yellow("Warning:")} ${at ? `${locationText(at)} ` : ""}${message} (${code})`;
  });
}

/** @param successText the beginning of the success message, before the file and the keys: `Confirmed` */
export function printKeysEdit(
  command: SvcmCommand,
  response: KeysEditResponse,
  successText: string,
  next?: string,
): KeysEditResponse {
  const { file, dryRun, changedKeys, changes } = response;
  if (changedKeys.length === 0) command.log(`No change in ${file}.`);
  else if (dryRun) command.print(() => renderDryRun({ fileName: file, changes }));
  else
    command.log(
      [`${successText} in ${file}: ${changedKeys.join(", ")}`, ...(next ? [`Next: ${next}`] : [])].join("\n"),
    );
  return response;
}

type Effect = Pick<EnvWriteResponse, "staleProcesses" | "overrides" | "elsewhere" | "unknownEffect">;
type Place = { readonly service: string | undefined };

export const restartFlag = Flags.boolean({
  summary:
    "Then restart the processes that have the former value, one instance after another, each when the one before is healthy. In cluster mode, without a gap.",
  default: false,
});

/** Ends the answer of a command that wrote an env file: who has the former value, and what to do about it. */
export async function finishWrite(
  command: SvcmCommand,
  effect: Effect,
  { place, restart }: { readonly place: Place; readonly restart: boolean },
): Promise<void> {
  const { staleProcesses: stale, overrides, elsewhere, unknownEffect } = effect;
  for (const { key, app, fileName } of overrides)
    command.log(`${paint.yellow("Warning:")} ${fileName} sets ${key} for ${app} and wins.`);
  if (unknownEffect !== undefined) {
    command.log(`svcm does not know which processes have the former value: ${unknownEffect}`);
    if (restart) command.setExitCode(3);
  }
  if (elsewhere.length > 0)
    command.log(
      `${paint.yellow("Warning:")} nothing that runs reads this file: the apps run as ${elsewhere.join(", ")}.\nNext: repeat the command with -e ${elsewhere[0]}`,
    );
  if (stale.length === 0) return;
  if (restart) return restartAll(command, stale, place.service);
  const names = stale.map(({ name, pmIds }) => (pmIds.length > 1 ? `${name} (${pmIds.length})` : name));
  command.log(`Still with the old value: ${names.join(", ")}`);
  command.log(
    `Next: ${groupsOf(stale)
      .map((group) => restartCommand(group, place.service))
      .join(" && ")}`,
  );
}

type Stale = Effect["staleProcesses"];

interface Group extends Pick<Stale[number], "scope" | "environment"> {
  readonly names: string[];
}

/** A process is restarted as the environment as which it runs, whichever the command named. */
function groupsOf(stale: Stale): Group[] {
  return [...groupBy(stale, ({ scope, environment = "" }) => `${scope} ${environment}`).values()].map((alike) => ({
    ...alike[0],
    scope: alike[0]?.scope ?? "process",
    names: alike.map(({ name }) => name),
  }));
}

function restartCommand({ scope, environment, names }: Group, service: string | undefined): string {
  const command = `svcm restart ${names.map(shellQuote).join(" ")}`;
  if (scope === "process") return command;
  const options = [
    ["--environment", environment],
    ["--service", service],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${shellQuote(value)}`]));
  return [command, "--ecosystem", ...options].join(" ");
}

async function restartAll(command: SvcmCommand, stale: Stale, service: string | undefined): Promise<void> {
  const { act } = await import("./process-action.ts");
  for (const { scope, environment, names } of groupsOf(stale))
    await act(command, "reload", {
      scope,
      names,
      pmIds: [],
      environment,
      service: scope === "ecosystem" ? service : undefined,
      wait: true,
      namespace: undefined,
      timeoutMs: undefined,
    });
  command.log(`${pluralize(stale.length, "app")} restarted: the former value is gone.`);
}
