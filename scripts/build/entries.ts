import { glob } from "tinyglobby";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@oclif/core/command";
import type { PJSON } from "@oclif/core/interfaces";

export const ROOT = join(import.meta.dirname, "../..");

/** From the name of the output, without its extension, to the source. */
export type Entries = Record<string, string>;

/** By the names under which package.json exports them. */
export const LIBRARIES: Entries = { startup: "src/core/startup/index.ts", client: "src/client/index.ts" };

export function readPjson(folder: string): PJSON {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PJSON;
}

/** The path of a command is its id. The globs of package.json exclude other files. */
export async function commandEntries({ oclif }: PJSON): Promise<Entries> {
  if (typeof oclif.commands !== "object") throw new Error("package.json: oclif.commands has to be an object");
  const files = await glob(oclif.commands.globPatterns ?? [], { cwd: join(ROOT, "src/commands") });
  return Object.fromEntries(
    files.toSorted().map((file) => [`commands/${file.replace(/\.ts$/, "")}`, `src/commands/${file}`]),
  );
}

export interface InstalledPlugin {
  readonly name: string;
  readonly folder: string;
  readonly pjson: PJSON;
  readonly commands: Readonly<Record<string, Command.Cached>>;
}

export function installedPlugins({ oclif }: PJSON): InstalledPlugin[] {
  return (oclif.plugins ?? []).map((name) => {
    const folder = join(ROOT, "node_modules", name);
    const manifest = JSON.parse(readFileSync(join(folder, "oclif.manifest.json"), "utf8")) as Pick<
      InstalledPlugin,
      "commands"
    >;
    return { name, folder, pjson: readPjson(folder), commands: manifest.commands };
  });
}

export function pluginEntries(plugins: readonly InstalledPlugin[]): Entries {
  return Object.fromEntries(
    plugins.flatMap(({ name, folder, commands }) =>
      Object.values(commands).map(({ id, relativePath = [] }) => [
        pluginChunk(name, id),
        join(folder, ...relativePath),
      ]),
    ),
  );
}

export function pluginChunk(plugin: string, id: string): string {
  return `plugins/${plugin.replace("@oclif/", "")}/${id.replaceAll(":", "/")}`;
}
