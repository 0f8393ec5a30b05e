import { UsageError } from "../commands/terminal/errors.ts";
import { suggest } from "../core/index.ts";

const WATCH = "svcm metrics watch";
const LEFT_TO_PM2 = "use PM2's own command line for this";

/** Typed out of habit, and not among the `aliases` of a command. */
const HABITS: Readonly<Record<string, string>> = {
  st: "svcm process list",
  jlist: "svcm process list --json",
  top: WATCH,
  dash: WATCH,
  watch: WATCH,
  info: "svcm process show NAME",
  get: "svcm env get",
  set: "svcm env set",
  check: "svcm validate",
  lint: "svcm validate",
  autocomplete: "svcm completion bash",
  save: LEFT_TO_PM2,
  resurrect: LEFT_TO_PM2,
  tail: "svcm logs --follow",
  log: "svcm logs",
};

/**
 * @param input the words as typed
 * @param commands all commands, with words separated by spaces
 */
export function unknownCommand(input: string, commands: readonly string[]): UsageError {
  const command = commands.find((words) => input.startsWith(`${words} `));
  if (command !== undefined) {
    const more = input.slice(command.length + 1);
    return new UsageError(
      `svcm ${command} takes no arguments; unexpected: ${more}.`,
      `svcm ${command} --help shows how to use it`,
    );
  }
  const likely = likelyCommand(input, commands);
  const suggestion = likely === undefined ? "" : ` Did you mean ${likely}?`;
  const habit = likely === undefined ? HABITS[input.split(" ")[0] ?? ""] : undefined;
  const hint = habit ?? "svcm help lists all commands";
  return new UsageError(`${input} is not an svcm command.${suggestion}`, hint, "COMMAND_NOT_FOUND");
}

export function likelyCommand(input: string, commands: readonly string[]): string | undefined {
  const isExplained =
    Object.hasOwn(HABITS, input.split(" ")[0] ?? "") || commands.some((words) => input.startsWith(`${words} `));
  return isExplained ? undefined : (suggest(input, commands) ?? suggest(input, topicsOf(commands)));
}

function topicsOf(commands: readonly string[]): string[] {
  return [...new Set(commands.flatMap((words) => words.split(" ").slice(0, -1)))];
}
