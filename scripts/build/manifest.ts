import { Plugin } from "@oclif/core/config";
import type { Command } from "@oclif/core/command";
import type { PJSON } from "@oclif/core/interfaces";
import { settings } from "@oclif/core/settings";
import { ROOT, pluginChunk, type InstalledPlugin } from "./entries.ts";
import type { BundledPlugin, BriefCommand, DetailsOf } from "../../src/cli/start.ts";

type Commands = Record<string, Command.Cached>;
type DetailedPlugin = BundledPlugin & { readonly commands: Readonly<Commands> };

/** Read from the build in `dist`. */
export async function readCommands(pjson: PJSON, dist: string): Promise<Commands> {
  settings.enableAutoTranspile = false;
  const oclif: PJSON["oclif"] = {
    ...pjson.oclif,
    commands: { strategy: "pattern", target: `${dist}/commands`, globPatterns: ["**/*.cjs"] },
  };
  const plugin = new Plugin({
    root: ROOT,
    pjson: { ...pjson, oclif },
    isRoot: true,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  return sorted(plugin.manifest.commands, (id) => `commands/${id.replaceAll(":", "/")}`);
}

export function bundledPlugins(
  pjson: PJSON,
  commands: Commands,
  plugins: readonly InstalledPlugin[],
): DetailedPlugin[] {
  return [
    { pjson: publicFields(pjson), commands },
    ...plugins.map((plugin) => ({
      pjson: publicFields(plugin.pjson),
      commands: sorted(plugin.commands, (id) => pluginChunk(plugin.name, id)),
    })),
  ];
}

/**
 * A start that runs a command does not need the details. oclif reads the description of a command without a summary at
 * every start, so such a command keeps its details.
 */
export function splitDetails(plugins: readonly DetailedPlugin[]): {
  readonly brief: readonly BundledPlugin[];
  readonly details: DetailsOf;
} {
  const details: Record<string, DetailsOf[string]> = {};
  const briefOf = (command: Command.Cached): Command.Cached | BriefCommand => {
    if (command.summary === undefined) return command;
    const { args, description, examples, flags, ...brief } = command;
    details[String(command.relativePath)] = { args, description, examples, flags };
    const { aliases, hiddenAliases, id, relativePath } = command;
    return { ...brief, aliases, hiddenAliases, id, relativePath };
  };
  const brief = plugins.map(({ pjson, commands }) => ({
    pjson,
    commands: Object.fromEntries(Object.entries(commands).map(([id, command]) => [id, briefOf(command)])),
  }));
  return { brief, details };
}

function publicFields({ name, version, description, oclif }: PJSON): PJSON {
  return { name, version, description, oclif };
}

function sorted(commands: Readonly<Commands>, chunkOf: (id: string) => string): Commands {
  const entries = Object.entries(commands).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([id, command]) => [
      id,
      { ...command, isESM: false, relativePath: ["dist", ...`${chunkOf(id)}.cjs`.split("/")] },
    ]),
  );
}
