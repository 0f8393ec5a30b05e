import { userInfo } from "node:os";
import type { Logger, Plugin } from "@oclif/core/interfaces";
import { run } from "@oclif/core/run";
import { settings } from "@oclif/core/settings";
import { errorCode, errorMessage } from "../core/words/thrown.ts";
import { jsonText, writeErr, writeOut } from "../commands/terminal/output.ts";
import { TerminalFileError, UsageError } from "../commands/terminal/errors.ts";

/** As `DEFECT` in the table of errors, which cannot be loaded then. */
const DEFECT_EXIT = 70;

export async function main(argv: string[], loadPlugins: () => Promise<readonly Plugin[]>): Promise<void> {
  process.on("uncaughtException", crash);
  let commands: readonly string[] = [];
  try {
    settings.enableAutoTranspile = false;
    const plugins = await loadPlugins();
    commands = plugins.flatMap((plugin) =>
      plugin.commands.filter(({ hidden }) => !hidden).map(({ id }) => id.replaceAll(":", " ")),
    );
    refuseTopicAsJson(argv, commands);
    nameShell();
    await run(withHelpFlag(argv), {
      root: plugins[0]?.root ?? "",
      plugins: new Map(plugins.map((plugin) => [plugin.name, plugin])),
      ...(!process.env["DEBUG"] && { logger: silent }),
    });
  } catch (error) {
    process.exitCode = await fail(await explainUnknownCommand(error, commands), asksForJson(argv));
  }
}

/** oclif asks the system for the shell, which fails for a user without a name, as containers have. */
function nameShell(): void {
  if (process.env["SHELL"] !== undefined) return;
  try {
    userInfo();
  } catch {
    process.env["SHELL"] = "/bin/sh";
  }
}

/** A topic has only help, which is text. @throws {UsageError} with `--json` */
function refuseTopicAsJson(argv: readonly string[], commands: readonly string[]): void {
  const words = argv
    .slice(
      0,
      argv.findIndex((word) => word.startsWith("-")),
    )
    .join(" ");
  if (!asksForJson(argv) || argv.includes("--help") || commands.includes(words)) return;
  const inside = commands.filter((command) => words === "" || command.startsWith(`${words} `));
  if (inside.length > 0) throw new UsageError(`A command is missing. Accepted: ${inside.join(", ")}.`);
}

/** oclif's help command ignores svcm's help options: it repeats the summary and lists aliases. */
function withHelpFlag(argv: string[]): string[] {
  const [first, ...words] = argv;
  if (first === "version") return ["--version", ...words];
  if (first !== "help" || words.some((word) => word.startsWith("-"))) return argv;
  return [...words, "--help"];
}

async function explainUnknownCommand(error: unknown, commands: readonly string[]): Promise<unknown> {
  const input = error instanceof Error ? /^Command (.+) not found\.$/s.exec(error.message)?.[1] : undefined;
  if (input === undefined) return error;
  return (await import("./unknown-command.ts")).unknownCommand(input.replaceAll(":", " "), commands);
}

/** For errors that no command caught. Returns the exit code. */
async function fail(error: unknown, mayBeJson: boolean): Promise<number> {
  const { toFailure, printFailure } = await import("../commands/terminal/failure.ts");
  const failure = toFailure(error);
  if (failure.body !== undefined) {
    if (mayBeJson && !(error instanceof TerminalFileError)) writeOut(`${jsonText(failure.body, 2)}\n`);
    else printFailure(failure);
  }
  return failure.exitCode;
}

/** For defects outside any command. svcm cannot continue, so oclif exits the process. */
function crash(error: unknown): void {
  void fail(error, false)
    .then(async (exit) => {
      const end = Object.assign(new Error(), { oclif: { exit }, skipOclifErrorHandling: true });
      const { handle } = await import("@oclif/core/handle");
      return handle(end);
    })
    .catch(giveUp);
}

/**
 * Mostly, its files were replaced, or too many are open. Another look for them would fail in the same way. The message of any
 * other error may hold a value.
 */
function giveUp(error: unknown): never {
  const isOfFile = /^(?:MODULE_NOT_FOUND|E(?!UNKNOWN$)[A-Z0-9]+)$/.test(errorCode(error));
  const what = isOfFile
    ? `svcm cannot read its own files: ${errorMessage(error).split("\n", 1).join()}`
    : "This is a defect in svcm, and so is the failure to describe it.";
  writeErr(`Error: ${what}\n`);
  // oxlint-disable-next-line unicorn/no-process-exit -- oclif's exit may be one of the files
  process.exit(DEFECT_EXIT);
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

const nothing = (): void => {};

/** oclif logs through `debug`, which is slow to load. Setting `DEBUG` enables it. */
const silent: Logger = {
  child: () => silent,
  debug: nothing,
  error: nothing,
  info: nothing,
  namespace: "svcm",
  trace: nothing,
  warn: nothing,
};
