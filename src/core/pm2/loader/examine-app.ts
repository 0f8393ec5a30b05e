/** Examines what an app needs on this machine. */
import { accessSync, constants, statfsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { readGroupLimits } from "../../files/group-limits.ts";
import type { AppChecks, CommandLine, LoadedApp, UnusableLog } from "../loaded.ts";
import { firstValue, normaliseApp } from "../normalise.ts";
import { exists, findCommand, isRunnable, readStart } from "./locate-app.ts";

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
    hasInterpreter: hasInterpreter(places.interpreter, places.cwd),
    commandLine: app.isCommandLine ? readCommandLine(app.declaredScript, places.cwd) : null,
    logs: LOG_FIELDS.flatMap((names) => unusableLog(fields, names, places.cwd)),
    cpuQuota: readGroupLimits().cpu?.cores ?? null,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
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
