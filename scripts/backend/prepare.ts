import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStale } from "../stale.ts";

export const ROOT = join(import.meta.dirname, "../..");
const TEMPLATE = join(ROOT, "apps/backend-template");

export function prepareBackend({ withDevelopment }: { withDevelopment: boolean }): void {
  install(withDevelopment);
  const sources = ["src", "package.json", "tsconfig.json", "tsconfig.build.json"].map((path) => join(TEMPLATE, path));
  if (!isStale([join(TEMPLATE, "dist/interface/gRPC/items.proto")], sources)) return;
  execFileSync("npm", ["run", "--silent", "build"], { cwd: TEMPLATE, stdio: ["ignore", "inherit", "inherit"] });
}

/** A file in `node_modules` records the lockfile, and if development packages are installed. */
function install(withDevelopment: boolean): void {
  const note = join(TEMPLATE, "node_modules", ".installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(TEMPLATE, "package-lock.json")))
    .digest("hex");
  const installed = readNote(note);
  if (installed === `${lock} all` || (installed === `${lock} default` && !withDevelopment)) return;
  const omit = withDevelopment ? [] : ["--omit=dev"];
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...omit], {
    cwd: TEMPLATE,
    stdio: ["ignore", "inherit", "inherit"],
  });
  writeFileSync(note, `${lock} ${withDevelopment ? "all" : "default"}`);
}

function readNote(note: string): string | undefined {
  try {
    return readFileSync(note, "utf8");
  } catch {
    return undefined;
  }
}
