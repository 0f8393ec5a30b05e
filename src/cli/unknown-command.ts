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
 * @param asked the words as typed
 * @param known every command, with words separated by spaces
 */
export function unknownCommand(asked: string, known: readonly string[]): UsageError {
  const command = known.find((words) => asked.startsWith(`${words} `));
  if (command !== undefined) {
    const more = asked.slice(command.length + 1);
    return new UsageError(
      `svcm ${command} takes no arguments; unexpected: ${more}.`,
      `svcm ${command} --help shows how to use it`,
    );
  }
  const likely = likelyCommand(asked, known);
  const meant = likely === undefined ? "" : ` Did you mean ${likely}?`;
  const habit = likely === undefined ? HABITS[asked.split(" ")[0] ?? ""] : undefined;
  const hint = habit ?? "svcm help lists all commands";
  return new UsageError(`${asked} is not an svcm command.${meant}`, hint, "COMMAND_NOT_FOUND");
}

export function likelyCommand(asked: string, known: readonly string[]): string | undefined {
  const isExplained =
    Object.hasOwn(HABITS, asked.split(" ")[0] ?? "") || known.some((words) => asked.startsWith(`${words} `));
  return isExplained ? undefined : (suggest(asked, known) ?? suggest(asked, topicsOf(known)));
}

function topicsOf(known: readonly string[]): string[] {
  return [...new Set(known.flatMap((words) => words.split(" ").slice(0, -1)))];
}
