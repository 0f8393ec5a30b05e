import { isRecord } from "../words/record.ts";
import type { Data } from "./loaded.ts";

export type Fields = Readonly<Record<string, Data>>;

/** PM2's aliases and shorthands are resolved; nothing on the machine is checked yet. */
export interface NormalisedApp {
  readonly name: string;
  /** PM2 runs a script that contains a space as a command line for `bash -c`. */
  readonly script: string;
  readonly declaredScript: string;
  readonly isCommandLine: boolean;
  readonly cwd: string | undefined;
  readonly args: readonly string[];
  readonly interpreter: string | undefined;
  readonly interpreterArgs: readonly string[];
  /** `0` means every core, a negative number all cores but that many; `undefined` if the file does not set it. */
  readonly instances: number | undefined;
  readonly execMode: "fork" | "cluster" | undefined;
  readonly watch: boolean | readonly string[];
  readonly namespace: string;
  readonly env: Readonly<Record<string, string>>;
}

/** In PM2's order. A falsy value counts as absent. */
export const fieldNames = {
  script: ["script", "cmd", "command", "exec"],
  interpreter: ["exec_interpreter", "interpreter", "execInterpreter"],
  interpreterArgs: ["node_args", "interpreter_args", "interpreterArgs", "nodeArgs"],
  execMode: ["exec_mode", "execMode"],
  waitReady: ["wait_ready", "waitReady"],
  killTimeout: ["kill_timeout", "killTimeout"],
  incrementVar: ["increment_var", "incrementVar"],
  instanceVar: ["instance_var", "instanceVar"],
  maxMemory: ["max_memory_restart", "maxMemoryRestart"],
  cron: ["cron_restart", "cron", "cronRestart"],
} as const;

/** As PM2 7 does (`Common.verifyConfs`, `Config.validateJSON`). A value of a type that PM2 refuses counts as absent. */
export function normaliseApp(fields: Fields): NormalisedApp {
  const declaredScript = asText(firstValue(fields, fieldNames.script)) ?? "";
  const isCommandLine = declaredScript.includes(" ");
  return {
    name: asText(fields["name"]) || scriptName(asText(firstValue(fields, ["script", "cmd", "command"])) ?? ""),
    script: isCommandLine ? "bash" : declaredScript,
    declaredScript,
    isCommandLine,
    cwd: asText(fields["cwd"]) || undefined,
    args: isCommandLine ? ["-c", declaredScript] : readWords(fields["args"]),
    interpreter: asText(firstValue(fields, fieldNames.interpreter)) || undefined,
    interpreterArgs: readWords(firstValue(fields, fieldNames.interpreterArgs)),
    instances: readInstances(fields["instances"]),
    execMode: fields["execute_command"] === true ? "fork" : readExecMode(firstValue(fields, fieldNames.execMode)),
    watch: readWatch(fields["watch"]),
    namespace: asText(fields["namespace"]) || "default",
    env: readVariables(fields),
  };
}

export function firstValue(fields: Fields, names: readonly string[]): Data | undefined {
  return names.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined)).find(Boolean);
}

export function envFileOptions(interpreterArgs: readonly string[]): { file: string; isOptional: boolean }[] {
  return interpreterArgs.flatMap((arg, index) => {
    const option = /^--env-file(-if-exists)?(?:=(.*))?$/s.exec(arg);
    const file = option?.[2] ?? interpreterArgs[index + 1];
    return option === null || file === undefined ? [] : [{ file, isOptional: option[1] !== undefined }];
  });
}

/** The options of Node.js that load a module before the script. */
export function preloadOptions(interpreterArgs: readonly string[]): { option: string; module: string }[] {
  return interpreterArgs.flatMap((arg, index) => {
    const [, option, given] = /^(-r|--(?:require|import|loader|experimental-loader))(?:=(.*))?$/s.exec(arg) ?? [];
    const module = given ?? interpreterArgs[index + 1];
    return option === undefined || module === undefined ? [] : [{ option, module }];
  });
}

function asText(value: Data | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function scriptName(script: string): string {
  const base = script.replace(/\/+$/, "").replace(/^.*\//s, "");
  const dot = base.lastIndexOf(".");
  return dot > 0 ? base.slice(0, dot) : base;
}

function readWords(value: Data | undefined): string[] {
  if (Array.isArray(value)) return value.filter((word) => word !== null && typeof word !== "object").map(String);
  return typeof value === "string" ? splitArguments(value) : [];
}

function readInstances(value: Data | undefined): number | undefined {
  if (value === "max") return 0;
  if (typeof value === "string") return Number.parseInt(value, 10) || 0;
  return typeof value === "number" ? Math.trunc(value) : undefined;
}

function readExecMode(value: Data | undefined): NormalisedApp["execMode"] {
  const [, mode] = /^(cluster|fork)(?:_mode)?$/.exec(asText(value) ?? "") ?? [];
  return mode as NormalisedApp["execMode"];
}

function readWatch(value: Data | undefined): NormalisedApp["watch"] {
  if (typeof value === "boolean") return value;
  return typeof value === "string" && value !== "" ? [value] : Array.isArray(value) ? readWords(value) : false;
}

function readVariables(fields: Fields): Record<string, string> {
  const env = isRecord(fields["env"]) ? fields["env"] : {};
  const { port } = fields;
  return Object.fromEntries([
    ...Object.entries(env).map(
      ([key, value]) => [key, typeof value === "object" ? JSON.stringify(value) : String(value)] as const,
    ),
    ...(port && typeof port !== "object" ? [["PORT", String(port)] as const] : []),
  ]);
}

/** The value in an ecosystem file and PM2's own form of it must have the same digest. */
export function canonicalValue(value: unknown): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function canonicalArguments(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(canonicalValue));
  return JSON.stringify(value === undefined || value === null ? [] : splitArguments(canonicalValue(value)));
}

export function splitArguments(text: string): string[] {
  const words = text.match(/[^\s"'=]+="[^"]*"|[^\s"'=]+='[^']*'|"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2")).filter((word) => word.trim() !== "");
}
