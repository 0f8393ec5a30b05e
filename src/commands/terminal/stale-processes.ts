import * as Flags from "@oclif/core/flags";
import type { EnvWriteResponse } from "../../core/index.ts";
import { pluralize } from "../../core/words/pluralize.ts";
import type { SvcmCommand } from "../base.ts";
import { paint } from "./paint.ts";

type Effect = Pick<EnvWriteResponse, "staleProcesses" | "overrides" | "elsewhere" | "unknownEffect">;
type Place = { readonly environment: string | undefined; readonly service: string | undefined };

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
  if (restart) return restartAll(command, stale, place);
  const names = stale.map(({ name, pmIds }) => (pmIds.length > 1 ? `${name} (${pmIds.length})` : name));
  command.log(`Still with the old value: ${names.join(", ")}`);
  command.log(
    `Next: ${scopesOf(stale)
      .map((scope) => restartCommand(stale, scope, place))
      .join(" && ")}`,
  );
}

type Stale = Effect["staleProcesses"];

function scopesOf(stale: Stale): Stale[number]["scope"][] {
  return [...new Set(stale.map(({ scope }) => scope))];
}

function restartCommand(stale: Stale, scope: Stale[number]["scope"], { environment, service }: Place): string {
  const names = stale.filter((one) => one.scope === scope).map(({ name }) => shellWord(name));
  const command = `svcm restart ${names.join(" ")}`;
  if (scope === "process") return command;
  const options = [
    ["--environment", environment],
    ["--service", service],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${shellWord(value)}`]));
  return [command, "--ecosystem", ...options].join(" ");
}

function shellWord(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

async function restartAll(command: SvcmCommand, stale: Stale, place: Place): Promise<void> {
  const { act } = await import("./process-action.ts");
  for (const scope of scopesOf(stale)) {
    const names = stale.filter((one) => one.scope === scope).map(({ name }) => name);
    const { environment, service } = scope === "ecosystem" ? place : {};
    const target = {
      scope,
      names,
      pmIds: [],
      environment,
      service,
      wait: true as const,
      namespace: undefined,
      timeoutMs: undefined,
    };
    await act(command, "reload", target);
  }
  command.log(`${pluralize(stale.length, "app")} restarted with the new value.`);
}
