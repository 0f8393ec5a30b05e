import { execFileSync } from "node:child_process";
import { globSync } from "tinyglobby";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { builtPrograms } from "./built-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["src", "scripts", "config", "package.json"];
const PRODUCTS = ["dist/launch.cjs", "dist/console/index.html", "oclif.manifest.json"];

/** The programs of `test/support/children`, as JavaScript. */
export const BUILT_CHILDREN = join(ROOT, "node_modules/.svcm-test/children");

/** Vitest's global setup: builds the package if a source is newer than the build, and the programs that tests start. */
export default async function buildOnce(): Promise<void> {
  const built = Math.min(...PRODUCTS.map((file) => changedAt(join(ROOT, file))));
  if (SOURCES.some((source) => newest(join(ROOT, source)) > built)) {
    execFileSync(process.execPath, ["--import", "tsx", "scripts/build.ts"], { cwd: ROOT, stdio: "inherit" });
  }
  await buildChildren();
}

async function buildChildren(): Promise<void> {
  const bundle = await rolldown({
    input: globSync("test/support/children/*.ts", { cwd: ROOT, absolute: true }),
    platform: "node",
    external: /^[^./]/,
    logLevel: "silent",
    plugins: [builtPrograms()],
  });
  await bundle.write({ dir: BUILT_CHILDREN, format: "esm", entryFileNames: "[name].mjs" });
}

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
