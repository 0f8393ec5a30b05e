import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["src", "scripts", "config", "package.json"];
const PRODUCTS = ["dist/launch.cjs", "dist/console/index.html", "oclif.manifest.json"];

/** Vitest's global setup: builds where a source is newer than the build. */
export default function buildOnce(): void {
  const built = Math.min(...PRODUCTS.map((file) => changedAt(join(ROOT, file))));
  if (SOURCES.some((source) => newest(join(ROOT, source)) > built)) {
    execFileSync(process.execPath, ["--import", "tsx", "scripts/build.ts"], { cwd: ROOT, stdio: "inherit" });
  }
}

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
