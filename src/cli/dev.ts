import { Plugin } from "@oclif/core/config";
import type { PJSON } from "@oclif/core/interfaces";
import { fileURLToPath } from "node:url";
import pjson from "../../package.json" with { type: "json" };
import { writeOut } from "../commands/terminal/output.ts";
import { earlyAnswer, withDefaultCommand } from "./early-answer.ts";
import { main } from "./main.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const oclif = pjson.oclif as typeof pjson.oclif & { readonly helpOptions: { readonly maxWidth: number } };
const source: PJSON = {
  ...pjson,
  oclif: {
    ...oclif,
    topicSeparator: " ",
    commands: { strategy: "pattern", target: "./src/commands", globPatterns: oclif.commands.globPatterns },
    hooks: { command_not_found: "./src/cli/hooks/command-not-found.ts" },
  },
};

const typed = process.argv.slice(2);
const answer = earlyAnswer(typed);
if (answer === undefined) await main(withDefaultCommand(typed), loadPlugins);
else writeOut(answer);

async function loadPlugins(): Promise<Plugin[]> {
  const plugins = [
    new Plugin({ root, pjson: source, isRoot: true, ignoreManifest: true }),
    ...oclif.plugins.map((name) => new Plugin({ root, name })),
  ];
  for (const plugin of plugins) await plugin.load();
  return plugins;
}
