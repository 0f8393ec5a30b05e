import type { Command } from "@oclif/core/command";
import type { PJSON, Plugin } from "@oclif/core/interfaces";
import type { LoadChunk } from "./chunk-loader.ts";

export interface BundledPlugin {
  readonly pjson: PJSON;
  readonly commands: Readonly<Record<string, Command.Cached>>;
}

interface Place {
  readonly root: string;
  readonly isRoot: boolean;
  readonly load: LoadChunk;
}

/** Does not read the disk; a command's chunk loads when it runs. */
export function bundledPlugin({ pjson, commands }: BundledPlugin, { root, isRoot, load }: Place): Plugin {
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
    commands: Object.entries(commands).map(([id, command]) => ({ ...command, load: () => findCommand(id) })),
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

function hooksOf({ hooks = {} }: PJSON["oclif"]): Plugin["hooks"] {
  const files = Object.entries(hooks as Record<string, string>);
  return Object.fromEntries(files.map(([event, target]) => [event, [{ target, identifier: "default" }]]));
}
