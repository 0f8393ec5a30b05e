import type { Hook } from "@oclif/core/interfaces";
import { UsageError } from "../../commands/terminal/failure.ts";
import { suggest } from "../../core/index.ts";

/** Says what was probably meant. At a terminal oclif's own plugin asks whether to run that instead. */
const commandNotFound: Hook<"command_not_found"> = async function (options) {
  const { config, id } = options;
  const known = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(":", " "));
  const asked = id.replaceAll(":", " ");
  const likely = suggest(asked, known);
  if (likely !== undefined && canAsk(process.argv)) {
    const { default: ask } = await import("@oclif/plugin-not-found");
    return ask.call(this, options);
  }
  throw new UsageError(
    likely === undefined
      ? `${asked} is not a ${config.bin} command.`
      : `${asked} is not a ${config.bin} command. Did you mean ${likely}?`,
    `${config.bin} help lists all commands`,
  );
};

function canAsk(argv: readonly string[]): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && !process.env["CI"] && !argv.includes("--json");
}

export default commandNotFound;
