import { shellQuote, pluralize } from "../../core/words/text.ts";
import * as Flags from "@oclif/core/flags";
import type { EnvWriteResponse } from "../../core/index.ts";
import { groupBy } from "../../core/words/lists.ts";
import type { SvcmCommand } from "../base.ts";
import { paint } from "./screen.ts";

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
