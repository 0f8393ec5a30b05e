import type { Command } from "@oclif/core/command";
import type { PJSON, Plugin } from "@oclif/core/interfaces";
import type { LoadChunk } from "./chunk-loader.ts";

export interface BundledPlugin {
  readonly pjson: PJSON;
  /** A command without `flags` has its details in a file apart. */
  readonly commands: Readonly<Record<string, Command.Cached | BriefCommand>>;
}

/** Help and completion need them; a command that runs has its own. */
type Details = Pick<Command.Cached, "args" | "description" | "examples" | "flags">;
export type DetailsOf = Readonly<Record<string, Details>>;
export type BriefCommand = Pick<Command.Cached, "id" | "relativePath">;

interface Place {
  readonly root: string;
  readonly isRoot: boolean;
  readonly load: LoadChunk;
  readonly details: () => DetailsOf;
}

/** Does not read the disk; a command's chunk loads when it runs. */
export function bundledPlugin({ pjson, commands }: BundledPlugin, { root, isRoot, load, details }: Place): Plugin {
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
      const known = "flags" in command ? command : withDetails(command, details);
      return Object.assign(known, { load: () => findCommand(id) });
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

const NO_DETAILS: Details = { args: {}, flags: {} };

/** Most starts run one command, and need the details of none. */
function withDetails(command: BriefCommand, details: () => DetailsOf): Command.Cached {
  const own = (): Details => details()[command.id] ?? NO_DETAILS;
  return {
    ...(command as Command.Cached),
    get args() {
      return own().args;
    },
    get description() {
      return own().description;
    },
    get examples() {
      return own().examples;
    },
    get flags() {
      return own().flags;
    },
  };
}

function hooksOf({ hooks = {} }: PJSON["oclif"]): Plugin["hooks"] {
  const files = Object.entries(hooks as Record<string, string>);
  return Object.fromEntries(files.map(([event, target]) => [event, [{ target, identifier: "default" }]]));
}
