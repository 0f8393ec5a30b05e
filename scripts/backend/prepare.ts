import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
const TEMPLATE = join(ROOT, "apps/backend-template");

/** Installs by the lockfile, unless that is what is installed, and builds to JavaScript. */
export function prepareBackend({ withDevelopment }: { withDevelopment: boolean }): void {
  install(withDevelopment);
  execFileSync("npm", ["run", "--silent", "build"], { cwd: TEMPLATE, stdio: ["ignore", "inherit", "inherit"] });
}

/** A note in `node_modules` tells which lockfile it came from, and whether the development packages are there. */
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
