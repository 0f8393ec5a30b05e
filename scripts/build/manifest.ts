import { Plugin } from "@oclif/core/config";
import type { Command } from "@oclif/core/command";
import type { PJSON } from "@oclif/core/interfaces";
import { settings } from "@oclif/core/settings";
import { ROOT, pluginChunk, type InstalledPlugin } from "./entries.ts";
import type { BundledPlugin } from "../../src/cli/bundled-plugin.ts";

type Commands = Record<string, Command.Cached>;

/** Our commands as oclif itself caches them, read from the build in `dist`. */
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

/** The plugins as the built command line knows them, svcm first. */
export function bundledPlugins(pjson: PJSON, commands: Commands, plugins: readonly InstalledPlugin[]): BundledPlugin[] {
  return [
    { pjson: essence(pjson), commands },
    ...plugins.map((plugin) => ({
      pjson: essence(plugin.pjson),
      commands: sorted(plugin.commands, (id) => pluginChunk(plugin.name, id)),
    })),
  ];
}

/** The members of a package.json that oclif reads. */
function essence({ name, version, description, oclif }: PJSON): PJSON {
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
