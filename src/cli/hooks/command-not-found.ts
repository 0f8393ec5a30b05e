import type { Hook } from "@oclif/core/interfaces";
import { toPrintable } from "../../core/index.ts";
import { likelyCommand, unknownCommand } from "../unknown-command.ts";

/** oclif's own plugin would also offer to run the command. */
const commandNotFound: Hook<"command_not_found"> = async function (options) {
  const { config, id } = options;
  const commands = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(":", " "));
  const input = id.replaceAll(":", " ");
  const likely = likelyCommand(input, commands);
  if (likely !== undefined && commands.includes(likely) && canAsk(process.argv)) {
    const { default: ask } = await import("@oclif/plugin-not-found");
    return ask.call(this, { ...options, id: toPrintable(id) });
  }
  throw unknownCommand(input, commands);
};

function canAsk(argv: readonly string[]): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && !process.env["CI"] && !argv.includes("--json");
}

export default commandNotFound;
