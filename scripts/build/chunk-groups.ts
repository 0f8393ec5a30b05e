/** The files of the command line that are loaded together. */

interface Group {
  readonly name: string;
  readonly folder: string;
  /** Beginnings of paths in the folder. */
  readonly paths: readonly string[];
  readonly except?: readonly string[];
  /** Number of entries that use a module of the group. */
  readonly minShareCount?: number;
}

/**
 * In import order, which the build enforces. An additional file takes longer to load than some additional code, so each
 * group contains modules that are used together: `svcm env get` loads `oclif`, `core` and `svcm`.
 */
const GROUPS: readonly Group[] = [
  {
    // Parts of oclif that explain a command or search for plugins.
    name: "oclif-more",
    folder: "node_modules/@oclif/core/lib/",
    paths: [
      "help/",
      "ux/",
      "errors/",
      "config/plugin.",
      "config/ts-path",
      "module-loader",
      "constraints",
      "execute",
      "flush",
      "index.",
      "parser/errors",
      "parser/help",
      "screen.",
      "interfaces/theme",
      "util/cache",
      "util/determine",
      "util/find",
      "util/fs",
      "util/read",
    ],
    except: ["help/util"],
  },
  { name: "oclif", folder: "node_modules/@oclif/core/", paths: [""] },
  // Validates outside input. The command line does not need it for its own input.
  { name: "zod", folder: "node_modules/zod/", paths: [""] },
  { name: "keys", folder: "src/", paths: ["core/project/keys.", "commands/terminal/guesses."] },
  { name: "audit-text", folder: "src/core/access/", paths: ["audit-text."] },
  { name: "suggest", folder: "", paths: ["node_modules/fastest-levenshtein/", "src/core/words/suggest."] },
  {
    name: "core",
    folder: "src/core/",
    paths: [
      "access/operation.",
      "words/",
      "secrets/",
      "api/errors.",
      "api/issue.",
      "api/omit-undefined.",
      "api/rights.",
      "project/folder-variables.",
      "project/project.",
      "project/resolve.",
      "project/service-folder.node.",
      "project/state-place.",
      "project/workspace.",
      "project/facts/packaged.",
      "project/facts/own",
      "project/facts/facts.",
      "pm2/pm2-names.",
      "pm2/state-place.",
      "setup/detect/survey.",
      "findings/cells.",
      "env/document.",
      "env/env-file.",
      "env/runtime-keys.",
      "files/host.",
      "files/owner.",
      "files/user-cache.",
      "files/read.",
      "files/system.",
      "files/ports.",
    ],
    except: [
      "words/characters.",
      "words/coalescing-buffer.",
      "words/http.",
      "words/json.",
      "words/suggest.",
      "words/schema-part.",
      "words/time.",
    ],
    minShareCount: 4,
  },
  {
    name: "adapters",
    folder: "src/core/",
    paths: [
      "access/audit-",
      "access/tokens.node",
      "alerts/notifier.",
      "boot/unit-folders.",
      "boot/units.node",
      "events/sightings.node",
      "files/",
      "history/history-files.",
      "history/prometheus.node",
      "logs/care/cut.",
      "logs/care/finish.",
      "logs/care/log-care.node",
      "logs/files/",
      "logs/process-logs.",
      "metrics/machine/",
      "metrics/async-context.node",
      "pm2/daemon/",
      "pm2/loader/",
      "rollout/health.",
      "rollout/releases.",
      "running/evidence/",
      "setup/installation.",
      "setup/survey.",
    ],
    except: ["files/index.", "files/proc.", "logs/files/worker/", "pm2/daemon/worker/"],
    minShareCount: 4,
  },
  {
    name: "svcm",
    folder: "src/",
    paths: [
      "core/index.",
      "core/node-ports.",
      "core/files/index.",
      "commands/base.",
      "commands/terminal/screen.",
      "commands/terminal/node-command.",
      "commands/terminal/output.",
      "commands/terminal/table.",
    ],
    minShareCount: 4,
  },
];

/** For one build. */
export interface ChunkGroups {
  readonly groups: { name: string; test: (module: string) => boolean; minShareCount?: number }[];
  /** @throws if a path names no module any more: its modules would be scattered, and every start slower */
  readonly requireUsed: () => void;
}

export function chunkGroups(root: string): ChunkGroups {
  const unused = new Set(
    GROUPS.flatMap((group) => [...group.paths, ...(group.except ?? [])].map((path) => group.folder + path)),
  );
  const begins = (file: string, { folder }: Group, paths: readonly string[]): boolean => {
    const found = paths.map((path) => folder + path).filter((path) => file.startsWith(path));
    for (const path of found) unused.delete(path);
    return found.length > 0;
  };
  return {
    groups: GROUPS.map((group) => ({
      name: group.name,
      ...(group.minShareCount !== undefined && { minShareCount: group.minShareCount }),
      test: (module) => {
        const file = module.slice(root.length + 1).replaceAll("\\", "/");
        return !begins(file, group, group.except ?? []) && begins(file, group, group.paths);
      },
    })),
    requireUsed: () => {
      if (unused.size > 0)
        throw new Error(`No module of the command line has these paths: ${[...unused].join(", ")}. Correct GROUPS.`);
    },
  };
}
