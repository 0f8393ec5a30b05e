import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { once } from "../core/words/once.ts";
import { bundledPlugin, type BriefCommand, type BundledPlugin, type DetailsOf } from "./bundled-plugin.ts";
import type { LoadChunk } from "./chunk-loader.ts";
import { main } from "./main.ts";

export interface StartOptions {
  readonly argv: string[];
  readonly dist: string;
  readonly load: LoadChunk;
}

export const PLUGINS_FILE = "plugins.json";
export const DETAILS_FILE = "details.json";

/** These need the list of commands. */
const READERS = new Set(["help", "__complete"]);

/**
 * Limited to commands whose names match the start of `argv`, because oclif prepares every command that it gets.
 * Help, completion and unknown commands get all of them.
 */
export function selectCommands(argv: readonly string[], plugins: readonly BundledPlugin[]): readonly BundledPlugin[] {
  if (READERS.has(argv[0] ?? "") || argv.includes("--help") || argv.includes("-h")) return plugins;
  const end = argv.findIndex((word) => word.startsWith("-"));
  const words = end === -1 ? argv : argv.slice(0, end);
  const names = new Set(words.map((_, last) => words.slice(0, last + 1).join(":")));
  const isNamed = ({ id, aliases, hiddenAliases }: BriefCommand): boolean =>
    [id, ...aliases, ...(hiddenAliases ?? [])].some((name) => names.has(name));
  const found = plugins.map(({ pjson, commands }) => ({
    pjson,
    commands: Object.fromEntries(Object.entries(commands).filter(([, command]) => isNamed(command))),
  }));
  return found.some(({ commands }) => Object.keys(commands).length > 0) ? found : plugins;
}

/** All plugins are known, so nothing searches for them. */
export async function start({ argv, dist, load }: StartOptions): Promise<void> {
  const root = dirname(dist);
  const read = (file: string): unknown => JSON.parse(readFileSync(`${dist}/${file}`, "utf8"));
  await main(argv, async () => {
    const details = once(() => read(DETAILS_FILE) as DetailsOf);
    const plugins = selectCommands(argv, read(PLUGINS_FILE) as BundledPlugin[]);
    return plugins.map((plugin, index) => bundledPlugin(plugin, { root, isRoot: index === 0, load, details }));
  });
}
