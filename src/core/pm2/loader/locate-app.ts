import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, extname, join, resolve } from "node:path";
import type { AppPlaces, LoadedApp } from "../loaded.ts";
import { envFileOptions, normaliseApp, type NormalisedApp } from "../normalise.ts";
import type { PickedApp } from "./pick-apps.ts";

/** PM2's table, `lib/API/interpreter.json`. */
const INTERPRETERS = new Map([
  [".sh", "bash"],
  [".py", "python"],
  [".rb", "ruby"],
  [".php", "php"],
  [".pl", "perl"],
  [".js", "node"],
  [".coffee", "coffee"],
  [".ls", "lsc"],
  [".ts", "bun"],
  [".tsx", "bun"],
]);

/** @param pm2 the folder of PM2's code; empty if there is none */
export function locateApp({ fields, keys, unset }: PickedApp, pm2: string): LoadedApp {
  const app = normaliseApp(fields);
  const cwd = resolve(app.cwd ?? ".");
  const script = locateScript(app, cwd, pm2);
  const places: AppPlaces = {
    folder: process.cwd(),
    cwd,
    hasCwd: exists(cwd, "folder"),
    script: script.path,
    hasScript: script.exists,
    interpreter: app.interpreter ?? interpreterFor(script.path),
    envFiles: envFileOptions(app.interpreterArgs).map(({ file, isOptional }) => {
      const path = resolve(cwd, file);
      return { given: file, path, exists: exists(path, "file"), isOptional };
    }),
  };
  return { fields, keys, unset, places };
}

function locateScript(
  { script, isCommandLine }: NormalisedApp,
  cwd: string,
  pm2: string,
): { path: string; exists: boolean } {
  if (script === "") return { path: "", exists: false };
  if (script === "serve") return { path: join(pm2, "lib/API/Serve.js"), exists: pm2 !== "" };
  const path = resolve(cwd, script);
  if (exists(path, "any")) return { path, exists: true };
  const command = findCommand(script) ?? (isCommandLine ? findCommand("sh") : undefined);
  return { path: command ?? path, exists: command !== undefined };
}

function interpreterFor(script: string): string {
  const standard = INTERPRETERS.get(extname(script));
  if (standard === "python" && findCommand("python") === undefined)
    return findCommand("python3") ? "python3" : standard;
  if (extname(script) === ".ts" && findCommand("bun") === undefined) return "node";
  return standard ?? (readStart(script).includes("\0") ? "none" : "node");
}

export function findCommand(command: string): string | undefined {
  if (command.includes("/")) return undefined;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders
    .map((folder) => resolve(join(folder, command)))
    .find((path) => exists(path, "file") && isRunnable(path));
}

export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function exists(path: string, kind: "file" | "folder" | "any"): boolean {
  try {
    const stat = statSync(path);
    return kind === "any" || (kind === "folder" ? stat.isDirectory() : !stat.isDirectory());
  } catch {
    return false;
  }
}

export function readStart(path: string): string {
  const start = Buffer.alloc(512);
  try {
    if (!statSync(path).isFile()) return "";
    const fd = openSync(path, "r");
    const length = readSync(fd, start);
    closeSync(fd);
    return start.toString("latin1", 0, length);
  } catch {
    return "";
  }
}
