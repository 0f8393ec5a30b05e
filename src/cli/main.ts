import type { Logger, Plugin } from "@oclif/core/interfaces";
import { run } from "@oclif/core/run";
import { settings } from "@oclif/core/settings";
import { failureOf, renderFailure } from "../commands/terminal/failure.ts";
import { writeErr, writeOut } from "../commands/terminal/output.ts";
import { TerminalFileError } from "../commands/terminal/terminal-file-error.ts";

/** Runs the command line over the plugins that are loaded, the first of which is svcm itself. */
export async function main(argv: string[], loadPlugins: () => Promise<readonly Plugin[]>): Promise<void> {
  process.on("uncaughtException", crash);
  try {
    settings.enableAutoTranspile = false;
    const plugins = await loadPlugins();
    plugins.forEach(extendAutocomplete);
    await run(argv, {
      root: plugins[0]?.root ?? "",
      plugins: new Map(plugins.map((plugin) => [plugin.name, plugin])),
      ...(!process.env["DEBUG"] && { logger: silent }),
    });
  } catch (error) {
    fail(error, argv);
  }
}

function extendAutocomplete({ commands }: Plugin): void {
  const autocomplete = commands.find(({ id }) => id === "autocomplete");
  if (autocomplete === undefined) return;
  const load = autocomplete.load.bind(autocomplete);
  autocomplete.load = async () => (await import("./completion/autocomplete.ts")).withFlagValues(await load());
}

/** What no command caught: the command is unknown, or oclif itself refused. */
function fail(error: unknown, argv: readonly string[]): void {
  const failure = failureOf(error);
  process.exitCode = failure.exitCode;
  if (failure.body === undefined) return;
  if (asksForJson(argv) && !(error instanceof TerminalFileError))
    writeOut(`${JSON.stringify(failure.body, null, 2)}\n`);
  else writeErr(renderFailure(failure, Boolean(process.env["SVCM_DEBUG"])));
}

/** A defect outside of every command, in a callback. Nothing can go on, so oclif ends the process. */
function crash(error: unknown): void {
  const failure = failureOf(error);
  writeErr(renderFailure(failure, Boolean(process.env["SVCM_DEBUG"])));
  const end = Object.assign(new Error(), { oclif: { exit: failure.exitCode }, skipOclifErrorHandling: true });
  void import("@oclif/core/handle").then(({ handle }) => handle(end));
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

const nothing = (): void => {};

/** oclif logs through `debug`, which is dear to load; `DEBUG` brings it back. */
const silent: Logger = {
  child: () => silent,
  debug: nothing,
  error: nothing,
  info: nothing,
  namespace: "svcm",
  trace: nothing,
  warn: nothing,
};
