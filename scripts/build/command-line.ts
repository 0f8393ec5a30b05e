import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DETAILS_FILE, PLUGINS_FILE } from "../../src/cli/start.ts";
import { bundleAlone, bundleCommandLine } from "./bundle.ts";
import { commandEntries, installedPlugins, pluginEntries, readPjson, ROOT } from "./entries.ts";
import { bundledPlugins, splitDetails, readCommands } from "./manifest.ts";

export async function buildCommandLine(dist: string, { isLazy = true }: { readonly isLazy?: boolean } = {}) {
  const pjson = readPjson(ROOT);
  const plugins = installedPlugins(pjson);
  const entries = {
    start: "src/cli/start.ts",
    "contract-reader": "src/core/project/facts/read.ts",
    "project-reader": "src/core/project/read.ts",
    "hooks/command-not-found": "src/cli/hooks/command-not-found.ts",
    ...(await commandEntries(pjson)),
    ...pluginEntries(plugins),
  };
  const chunks = [
    ...(await bundleCommandLine(entries, dist, { isLazy })),
    ...(await bundleAlone({ launch: "src/cli/launch.ts" }, dist)),
  ];
  const commands = await readCommands(pjson, dist);
  const { brief, details } = splitDetails(bundledPlugins(pjson, commands, plugins));
  writeFileSync(join(dist, PLUGINS_FILE), JSON.stringify(brief));
  writeFileSync(join(dist, DETAILS_FILE), JSON.stringify(details));
  return { chunks, commands };
}
