import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, extname, join, resolve, dirname } from "node:path";
import type { AppPlaces, LoadedApp, AppChecks, CommandLine, UnusableLog } from "../loaded.ts";
import { envFileOptions, normaliseApp, type NormalisedApp, firstValue } from "../normalise.ts";
import type { PickedApp } from "./pick-apps.ts";
import { homedir } from "node:os";
import { readGroupLimits } from "../../files/group-limits.ts";
import { parseRecord } from "../../words/record.ts";

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

function findCommand(command: string): string | undefined {
  if (command.includes("/")) return undefined;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders
    .map((folder) => resolve(join(folder, command)))
    .find((path) => exists(path, "file") && isRunnable(path));
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string, kind: "file" | "folder" | "any"): boolean {
  try {
    const stat = statSync(path);
    return kind === "any" || (kind === "folder" ? stat.isDirectory() : !stat.isDirectory());
  } catch {
    return false;
  }
}

function readStart(path: string): string {
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

/** Examines what an app needs on this machine. */

const SHELL_WORD =
  /^(?:\.|\[|cd|command|eval|exec|exit|export|for|if|nice|nohup|set|source|time|trap|ulimit|umask|unset|until|while)$/;
const LOG_FIELDS = [
  ["out_file", "out", "output", "out_log", "outFile"],
  ["error_file", "error", "err", "err_file", "err_log", "errorFile"],
  ["log_file", "log", "logFile"],
  ["pid_file", "pid", "pidFile"],
] as const;
/** PM2 tries forever to create a folder there. */
const KERNEL_FILE_SYSTEMS = new Set([0x9f_a0, 0x62_65_65_72]);

export function examineApp({ fields, places }: LoadedApp): Omit<AppChecks, "refusals"> {
  const app = normaliseApp(fields);
  const [, shebang = ""] = /^#!\s*(?:\S*\/env\s+(?:-\S+\s+)*)?(\S+)/.exec(readStart(places.script)) ?? [];
  return {
    shebang: shebang.replace(/^.*\//, ""),
    isExecutable: isRunnable(places.script),
    folderProblem: exists(places.script, "folder") ? folderScriptProblem(places, app.execMode) : null,
    hasInterpreter: hasInterpreter(places.interpreter, places.cwd),
    commandLine: app.isCommandLine ? readCommandLine(app.declaredScript, places.cwd) : null,
    logs: LOG_FIELDS.flatMap((names) => unusableLog(fields, names, places.cwd)),
    cpuQuota: readGroupLimits().cpu?.cores ?? null,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** Node.js starts a folder with the file that its package.json names as main, or with its file index. */
function folderScriptProblem({ script, interpreter }: AppPlaces, execMode: NormalisedApp["execMode"]): string | null {
  if (execMode !== "cluster") {
    if (interpreter === "none") return "nothing can execute a folder";
    // Python and others have an entry file by another name.
    if (!/(?:^|\/)node(?:js)?$/.test(interpreter)) return null;
  }
  if (isOfModules(dirname(script))) return `a package.json above it has "type": "module", so PM2 imports it`;
  try {
    createRequire(`${script}/`).resolve(script);
    return null;
  } catch {
    return "Node.js finds no entry file in it, such as index.js";
  }
}

/** As PM2 finds it: only the nearest package.json counts. */
function isOfModules(folder: string): boolean {
  const manifest = join(folder, "package.json");
  if (exists(manifest, "file")) return parseRecord(readFileSync(manifest, "utf8"))?.["type"] === "module";
  return folder !== dirname(folder) && isOfModules(dirname(folder));
}

/** The daemon resolves a relative path from the folder of the app. */
function hasInterpreter(interpreter: string, cwd: string): boolean {
  if (interpreter === "none" || interpreter === "node") return true;
  if (!interpreter.includes("/")) return findCommand(interpreter) !== undefined;
  const path = resolve(cwd, interpreter);
  return exists(path, "file") && isRunnable(path);
}

function readCommandLine(text: string, cwd: string): CommandLine {
  const isFile = exists(resolve(cwd, text), "file");
  const word =
    text
      .trim()
      .split(/\s+/)
      .find((part) => !/^\w+=/.test(part)) ?? "";
  if (SHELL_WORD.test(word) || /["'$`\\;&|<>(){}~*?!]/.test(word)) return { isFile, program: "", hasProgram: true };
  const path = resolve(cwd, word);
  const hasProgram = word.includes("/") ? exists(path, "file") && isRunnable(path) : findCommand(word) !== undefined;
  return { isFile, program: word, hasProgram };
}

function unusableLog(fields: LoadedApp["fields"], names: readonly string[], cwd: string): UnusableLog[] {
  const value = firstValue(fields, names);
  if (typeof value !== "string" || value === "NULL" || value === "/dev/null") return [];
  const path = resolve(cwd, value.startsWith("~") ? homedir() + value.slice(1) : value);
  const reason = exists(path, "folder") ? "it is a folder" : folderProblem(dirname(path));
  const field = names.find((name) => fields[name] === value) ?? names[0] ?? "";
  return reason === undefined ? [] : [{ field, path, reason }];
}

function folderProblem(folder: string): string | undefined {
  const existing = nearestExisting(folder);
  if (!exists(existing, "folder")) return `${existing} is not a folder`;
  if (KERNEL_FILE_SYSTEMS.has(statfsSync(existing).type)) return `${existing} belongs to the kernel`;
  try {
    accessSync(existing, constants.W_OK);
    return undefined;
  } catch {
    return `${existing} is not writable`;
  }
}

function nearestExisting(path: string): string {
  return exists(path, "any") || path === "/" ? path : nearestExisting(dirname(path));
}
