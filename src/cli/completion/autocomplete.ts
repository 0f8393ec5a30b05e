import type { Command } from "@oclif/core/command";
import type { Config, LoadOptions } from "@oclif/core/interfaces";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerminalFileError } from "../../commands/terminal/terminal-file-error.ts";
import { interfaceFields, targetFields } from "../../commands/terminal/entry-flags.ts";
import { commandLineCaller, environmentSpellings, execute, nodePorts, suiteFieldValues } from "../../core/index.ts";
import { bashCompletion, type CompletableCommand } from "./bash.ts";

/** The `autocomplete` command of oclif's plugin, with a script for bash that knows flag values too. */
export function withFlagValues(Autocomplete: Command.Class): Command.Class {
  async function run(argv?: string[], options?: LoadOptions): Promise<unknown> {
    const config = options as Config;
    const file = join(config.cacheDir, "autocomplete", "functions", "bash", `${config.bin}.bash`);
    await nameFlagValues(config);
    try {
      const result: unknown = await Autocomplete.run(argv, options);
      writeFileSync(file, bashCompletion(config.bin, completableCommands(config)));
      return result;
    } catch (error) {
      throw isSystemError(error) ? new TerminalFileError(error.code, error.path ?? file, error.message) : error;
    }
  }
  return Object.assign(Object.create(Autocomplete) as Command.Class, { run });
}

/** These flags are open, for what is accepted the core decides; here they are offered what the facts name. */
async function nameFlagValues({ root, commands }: Config): Promise<void> {
  const ports = nodePorts({ root, env: {}, cwd: root });
  const environment = environmentSpellings(await ports.facts.runtimeContract());
  const byField = await execute(suiteFieldValues, ports, {}, commandLineCaller());
  const fields = Object.entries({ ...targetFields, ...interfaceFields });
  const values = Object.fromEntries(fields.map(([flag, field]) => [flag, byField[field]]));
  for (const { flags } of commands) {
    for (const [flag, names] of Object.entries({ environment, ...values })) {
      const known = flags[flag];
      if (names && known?.type === "option") known.options ??= [...names];
    }
  }
}

function completableCommands(config: Config): CompletableCommand[] {
  return config.commands.filter(({ hidden }) => !hidden).map(completable);
}

function completable({ id, flags, args }: Command.Loadable): CompletableCommand {
  return {
    name: id.replaceAll(":", " "),
    argumentValues: Object.values(args).flatMap(
      (arg) => ("options" in arg ? (arg.options as string[] | undefined) : undefined) ?? [],
    ),
    flags: Object.entries(flags)
      .filter(([, { hidden }]) => !hidden)
      .map(([name, flag]) => ({
        spellings: flag.char === undefined ? [`--${name}`] : [`--${name}`, `-${flag.char}`],
        values: (flag.type === "option" ? flag.options : undefined) ?? [],
      })),
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}
