/** The new build replaces the old one when it is complete. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD_ID_FILE } from "../src/cli/chunk-loader.ts";
import { bundleLibraries } from "./build/bundle.ts";
import { buildCommandLine } from "./build/command-line.ts";
import { buildConsole } from "./build/console.ts";
import { writeDeclarations } from "./build/declarations.ts";
import { LIBRARIES, readPjson, ROOT } from "./build/entries.ts";
import { thirdPartyNotices } from "./build/notices.ts";

const { version } = readPjson(ROOT);
const work = join(ROOT, "node_modules", `.svcm-build-${process.pid}`);
const dist = join(work, "dist");
mkdirSync(dist, { recursive: true });

try {
  const browserConsole = await buildConsole(dist);
  const commandLine = await buildCommandLine(dist);
  const chunks = [...browserConsole.chunks, ...commandLine.chunks, ...(await bundleLibraries(LIBRARIES, dist))];
  await writeDeclarations(LIBRARIES, dist);
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), thirdPartyNotices(chunks.flatMap(({ moduleIds }) => moduleIds)));
  const manifest = { commands: commandLine.commands, version };
  writeFileSync(join(ROOT, "oclif.manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(dist, BUILD_ID_FILE), buildId(chunks));
  replace(join(ROOT, "dist"), dist);
  const { scriptBytes, firstBytes, styleBytes } = browserConsole;
  console.log(
    `console: ${kilobytes(firstBytes)} of script before the first view, ${kilobytes(scriptBytes)} in all, ${kilobytes(styleBytes)} of style, gzipped`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Builds with the same id can share compiled code. The bundler lists the chunks in no fixed order. */
function buildId(chunks: readonly { readonly fileName: string; readonly code: string }[]): string {
  const hash = createHash("sha256");
  const sorted = chunks.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1));
  for (const { fileName, code } of sorted) hash.update(`${fileName}\0${code}\0`);
  return `${version}-${hash.digest("hex").slice(0, 16)}`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

function replace(old: string, next: string): void {
  if (existsSync(old)) renameSync(old, join(work, "old"));
  renameSync(next, old);
}
