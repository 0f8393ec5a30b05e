import { UsageError } from "../commands/terminal/errors.ts";
import { suggest } from "../core/index.ts";
import { HABITS } from "./habits.ts";

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
  const habit = likely === undefined ? habitOf(input) : undefined;
  const hint = habit ?? "svcm help lists the commands";
  return new UsageError(`${input} is not an svcm command.${suggestion}`, hint, "COMMAND_NOT_FOUND");
}

export function likelyCommand(input: string, commands: readonly string[]): string | undefined {
  const isExplained = habitOf(input) !== undefined || commands.some((words) => input.startsWith(`${words} `));
  return isExplained ? undefined : (suggest(input, commands) ?? suggest(input, topicsOf(commands)));
}

function habitOf(input: string): string | undefined {
  const [first = ""] = input.split(" ");
  return Object.hasOwn(HABITS, first) ? HABITS[first] : undefined;
}

function topicsOf(commands: readonly string[]): string[] {
  return [...new Set(commands.flatMap((words) => words.split(" ").slice(0, -1)))];
}
