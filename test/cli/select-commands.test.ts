import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BundledPlugin, PLUGINS_FILE, selectCommands } from "../../src/cli/start.ts";
import { REPOSITORY } from "../support/command-line.ts";

const plugins = JSON.parse(readFileSync(join(REPOSITORY, "dist", PLUGINS_FILE), "utf8")) as BundledPlugin[];
const commands = plugins.flatMap((plugin) => Object.values(plugin.commands));
const idsFor = (...argv: string[]): string[] =>
  selectCommands(argv, plugins).flatMap((plugin) => Object.values(plugin.commands).map(({ id }) => id));

test("each command is found by its name and by each alias, and few other commands are loaded with it", () => {
  const readers = new Set(["help", "__complete"]);
  for (const { id, aliases } of commands.filter((command) => !readers.has(command.id))) {
    for (const name of [id, ...aliases]) {
      const found = idsFor(...name.split(":"), "value", "--json");
      expect(found).toContain(id);
      expect(found.length).toBeLessThan(3);
    }
  }
});

test.each([
  ["help", ["help", "env", "get"]],
  ["a flag for help", ["env", "get", "--help"]],
  ["the short flag for help", ["env", "get", "-h"]],
  ["completion", ["__complete", "bash", "=:", "svcm env"]],
  ["an unknown command", ["evn", "get"]],
  ["a topic", ["env"]],
  ["a flag before the command", ["--json", "env", "get"]],
  ["no words", []],
])("%s loads all commands", (_, argv) => {
  expect(idsFor(...argv)).toHaveLength(commands.length);
});
