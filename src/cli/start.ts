import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { once } from "../core/words/once.ts";
import type { LoadChunk } from "./chunk-loader.ts";
import { main } from "./main.ts";
import type { Command } from "@oclif/core/command";
import type { PJSON, Plugin } from "@oclif/core/interfaces";

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

export interface BundledPlugin {
  readonly pjson: PJSON;
  /** Commands without `flags` have their details in a separate file. */
  readonly commands: Readonly<Record<string, Command.Cached | BriefCommand>>;
}

/** Only help and completion need these; a running command has its own. */
const DETAILS = ["args", "description", "examples", "flags"] as const;
type Details = Pick<Command.Cached, (typeof DETAILS)[number]>;
export type DetailsOf = Readonly<Record<string, Details>>;
export type BriefCommand = Pick<Command.Cached, "aliases" | "hiddenAliases" | "id" | "relativePath">;

interface PluginContext {
  readonly root: string;
  readonly isRoot: boolean;
  readonly load: LoadChunk;
  readonly details: () => DetailsOf;
}

/** Reads no files; the chunk of a command is loaded when it runs. */
function bundledPlugin({ pjson, commands }: BundledPlugin, { root, isRoot, load, details }: PluginContext): Plugin {
  const { name, version, oclif } = pjson;

  async function findCommand(id: string): Promise<Command.Class> {
    const [, ...path] = commands[id]?.relativePath ?? [];
    const chunk = load(path.join("/")) as { default: Command.Class };
    return Object.assign(chunk.default, { id, plugin });
  }

  const plugin: Plugin = {
    _base: "",
    alias: name,
    commandIDs: Object.keys(commands),
    commands: Object.entries(commands).map(([id, command]) => {
      const loadable = "flags" in command ? command : withDetails(command, details);
      return Object.assign(loadable, { load: () => findCommand(id) }) as Command.Loadable;
    }),
    commandsDir: undefined,
    findCommand,
    hasManifest: true,
    hooks: isRoot ? hooksOf(oclif) : {},
    isRoot,
    load: async () => {},
    moduleType: "commonjs",
    name,
    options: { root, isRoot },
    pjson,
    root,
    topics: Object.entries(oclif.topics ?? {}).map(([topic, facts]) => ({ ...facts, name: topic })),
    type: "core",
    valid: true,
    version,
  };
  return plugin;
}

/** Reads the details on first access, because most starts need none. oclif copies a command that has aliases. */
function withDetails(command: BriefCommand, details: () => DetailsOf): object {
  const detailed = { ...command };
  for (const name of DETAILS) {
    const get = (): unknown => details()[String(command.relativePath)]?.[name];
    Object.defineProperty(detailed, name, { get, enumerable: true });
  }
  return detailed;
}

function hooksOf({ hooks = {} }: PJSON["oclif"]): Plugin["hooks"] {
  const files = Object.entries(hooks as Record<string, string>);
  return Object.fromEntries(files.map(([event, target]) => [event, [{ target, identifier: "default" }]]));
}
