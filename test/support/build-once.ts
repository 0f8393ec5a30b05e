import { execFileSync } from "node:child_process";
import { globSync } from "tinyglobby";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { isStale } from "../../scripts/stale.ts";
import { builtPrograms } from "./built-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["src", "scripts", "config", "package.json"];
const PRODUCTS = ["dist/launch.cjs", "dist/console/index.html", "oclif.manifest.json"];

/** The programs of `test/support/children`, as JavaScript. */
export const BUILT_CHILDREN = join(ROOT, "node_modules/.svcm-test/children");

/** Vitest's global set-up: builds the package if a source is newer than the build, and the programs that tests start. */
export default async function buildOnce(): Promise<void> {
  const inRoot = (path: string): string => join(ROOT, path);
  if (isStale(PRODUCTS.map(inRoot), SOURCES.map(inRoot))) {
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
