/**
 * Builds the package into `dist/`: the command line as CommonJS chunks, the libraries with their
 * types, and `oclif.manifest.json`. The new build takes the place of the old one when it is whole.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD_ID_FILE } from "../src/cli/code-cache.ts";
import { PLUGINS_FILE } from "../src/cli/start.ts";
import { bundleAlone, bundleCommandLine, bundleLibraries } from "./build/bundle.ts";
import { buildConsole } from "./build/console.ts";
import { writeDeclarations } from "./build/declarations.ts";
import { commandEntries, installedPlugins, LIBRARIES, pluginEntries, readPjson, ROOT } from "./build/entries.ts";
import { bundledPlugins, readCommands } from "./build/manifest.ts";
import { thirdPartyNotices } from "./build/notices.ts";
import { writeRootHelp } from "./build/root-help.ts";

const pjson = readPjson(ROOT);
const plugins = installedPlugins(pjson);
const work = join(ROOT, "node_modules", `.svcm-build-${process.pid}`);
const dist = join(work, "dist");
mkdirSync(dist, { recursive: true });

try {
  const browserConsole = await buildConsole(dist);
  const chunks = [
    ...browserConsole.chunks,
    ...(await bundleCommandLine(
      {
        start: "src/cli/start.ts",
        "contract-reader": "src/core/facts/read.ts",
        "hooks/command-not-found": "src/cli/hooks/command-not-found.ts",
        ...(await commandEntries(pjson)),
        ...pluginEntries(plugins),
      },
      dist,
    )),
    ...(await bundleAlone({ launch: "src/cli/launch.ts" }, dist)),
    ...(await bundleLibraries(LIBRARIES, dist)),
  ];
  await writeDeclarations(LIBRARIES, dist);
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), thirdPartyNotices(chunks.flatMap(({ moduleIds }) => moduleIds)));

  const commands = await readCommands(pjson, dist);
  writeFileSync(join(dist, PLUGINS_FILE), JSON.stringify(bundledPlugins(pjson, commands, plugins)));
  writeFileSync(
    join(ROOT, "oclif.manifest.json"),
    `${JSON.stringify({ commands, version: pjson.version }, null, 2)}\n`,
  );
  writeRootHelp(dist);
  writeFileSync(join(dist, BUILD_ID_FILE), buildId(chunks));
  replace(join(ROOT, "dist"), dist);
  const { scriptBytes, styleBytes } = browserConsole;
  console.log(`console: ${kilobytes(scriptBytes)} of script, ${kilobytes(styleBytes)} of style, gzipped`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Two builds with the same id have the same code, so that compiled code of one fits the other. */
function buildId(chunks: readonly { readonly fileName: string; readonly code: string }[]): string {
  const hash = createHash("sha256");
  for (const { fileName, code } of chunks) hash.update(`${fileName}\0${code}\0`);
  return `${pjson.version}-${hash.digest("hex").slice(0, 16)}`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

function replace(old: string, next: string): void {
  if (existsSync(old)) renameSync(old, join(work, "old"));
  renameSync(next, old);
}
