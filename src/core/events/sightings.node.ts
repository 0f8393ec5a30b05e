import { closeSync, constants, openSync, readSync, watch as watchFolder } from "node:fs";
import { dirname, join } from "node:path";
import { type Kernel, type KernelKill, readSighting, type Sighting } from "./sightings.ts";
import type { Sightings } from "./ports.ts";
import { createAppender, rotatedPaths } from "../files/append.ts";
import { attempt, hasErrorCode, readdir, readText } from "../files/system.ts";
import { readLinesBackwards, withLogFile } from "../files/log.ts";
import { runningCommands } from "../pm2/daemon/proc.ts";
import { execFile } from "node:child_process";
import { createRequire, isBuiltin } from "node:module";
import { promisify } from "node:util";

const ROTATION = { maxBytes: 2 ** 20, maxOldFiles: 1 };
const WATCHED_FILE = /^(?:pm2\.log|.*\.jsonl)$/;

export function nodeSightings({
  pm2Home,
  auditFile,
}: {
  readonly pm2Home: string;
  readonly auditFile: string;
}): Sightings {
  const file = join(pm2Home, ".svcm", "sightings.jsonl");
  const append = createAppender(file, ROTATION);
  return {
    async readSince(sinceMs) {
      const found: Sighting[] = [];
      for (const path of [file, ...rotatedPaths(file, ROTATION)]) {
        await withLogFile(path, async ({ fd, size }) => {
          for await (const { lines } of readLinesBackwards(fd, size)) {
            for (const line of lines) {
              const sighting = readSighting(line);
              if (sighting !== undefined && sighting.atMs >= sinceMs) found.push(sighting);
            }
          }
        });
      }
      return found.toReversed();
    },
    append: (sightings) =>
      attempt("record an observation in", file, async () => {
        for (const sighting of sightings) await append(`${JSON.stringify(sighting)}\n`);
      }),
    readKernel,
    findLoadFault,
    runningCommands: async () => runningCommands(pm2Home),
    readPids: () => readPids(join(pm2Home, "pids")),
    watch: (onChange) => watchFolders([...new Set([pm2Home, dirname(file), dirname(auditFile)])], onChange),
  };
}

/** PM2 names the pid file of a process `<name>-<id>.pid` and removes it when the process ends. */
async function readPids(folder: string): Promise<ReadonlyMap<number, number>> {
  const names = await readdir(folder).catch(() => []);
  const pids = new Map<number, number>();
  for (const name of names) {
    const [, id] = /-(\d{1,9})\.pid$/.exec(name) ?? [];
    if (id === undefined) continue;
    const pid = Number(await readText(join(folder, name)).catch(() => ""));
    if (Number.isInteger(pid) && pid > 0) pids.set(Number(id), pid);
  }
  return pids;
}

/** The caller also checks periodically, so a missing folder is ignored. */
function watchFolders(folders: readonly string[], onChange: () => void): () => void {
  const watchers = folders.flatMap((folder) => {
    try {
      const watcher = watchFolder(folder, { persistent: false }, (_event, name) => {
        if (name === null || WATCHED_FILE.test(name)) onChange();
      });
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

const RECORD_BYTES = 8192;
const MAX_RECORDS = 50_000;
const OOM_KILL =
  /(?:^|[^\w])(?:Out of memory|Memory cgroup out of memory)[^\n]*Killed process (\d+)(?: \(([^\n]{0,64}?)\)[ ,])?/i;

/** On Linux every user can read the counter, but often only root can read the log. */
async function readKernel(): Promise<Kernel> {
  const [stat = "", vmstat = ""] = await Promise.all(
    ["/proc/stat", "/proc/vmstat"].map((path) => readText(path).catch(() => "")),
  );
  return kernelOf(stat, vmstat, (bootedMs) => killsInLog("/dev/kmsg", bootedMs));
}

/** The log is read only if the kernel has killed a process. */
export function kernelOf(stat: string, vmstat: string, readLog: (bootedMs: number) => Kernel["logged"]): Kernel {
  const booted = /^btime (\d+)$/m.exec(stat)?.[1];
  const kills = /^oom_kill (\d+)$/m.exec(vmstat)?.[1];
  const bootedMs = booted === undefined ? undefined : Number(booted) * 1000;
  const hasKills = bootedMs !== undefined && kills !== undefined && kills !== "0";
  return {
    bootedMs,
    kills: kills === undefined ? undefined : Number(kills),
    logged: hasKills ? readLog(bootedMs) : undefined,
  };
}

/** Each read of the path returns one record. */
export function killsInLog(path: string, bootedMs: number): Kernel["logged"] {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.allocUnsafe(RECORD_BYTES);
    const kills: KernelKill[] = [];
    for (let count = 0; count < MAX_RECORDS; count += 1) {
      const record = nextRecord(fd, buffer);
      if (record === undefined) break;
      kills.push(...killIn(record, bootedMs));
    }
    return kills;
  } finally {
    closeSync(fd);
  }
}

/** @param record `priority,number,microseconds,flags;text` */
export function killIn(record: string, bootedMs: number): KernelKill[] {
  const [, microseconds, text = ""] = /^\d+,\d+,(\d+),[^;]*;([^\n]*)/.exec(record) ?? [];
  const [, pid, name] = OOM_KILL.exec(text) ?? [];
  return pid === undefined ? [] : [{ atMs: bootedMs + Number(microseconds) / 1000, pid: Number(pid), name }];
}

/** A record that was overwritten before it was read is an empty text. */
function nextRecord(fd: number, buffer: Buffer): string | undefined {
  try {
    const length = readSync(fd, buffer);
    return length === 0 ? undefined : buffer.toString("utf8", 0, length);
  } catch (error) {
    return hasErrorCode(error, "EPIPE") ? "" : undefined;
  }
}

const MAX_FILES = 200;
const MAX_CHECK_MS = 5000;
const SCRIPT = /\.[cm]?js$/;

/** Runs none of the code. Returns a sentence without its full stop, or undefined if it finds no fault. */
export async function findLoadFault(script: string): Promise<string | undefined> {
  if (!SCRIPT.test(script)) return undefined;
  return (await checkSyntax(script)) ?? (await findMissingModule(script));
}

async function checkSyntax(script: string): Promise<string | undefined> {
  const options = { timeout: MAX_CHECK_MS, env: {} };
  try {
    await promisify(execFile)(process.execPath, ["--check", script], options);
    return undefined;
  } catch (error) {
    return error instanceof Error && "stderr" in error ? syntaxFault(String(error.stderr)) : undefined;
  }
}

async function findMissingModule(script: string): Promise<string | undefined> {
  const paths = [script];
  for (const path of paths) {
    const { resolve } = createRequire(path);
    const code = await readText(path).catch(() => "");
    for (const name of namedModules(code ?? "").filter((one) => !isBuiltin(one))) {
      const found = resolveModule(resolve, name);
      if (found === "missing") return `${path} needs ${JSON.stringify(name)}, which does not exist`;
      const isOwn = name.startsWith(".") && found !== undefined && SCRIPT.test(found) && !paths.includes(found);
      if (isOwn && paths.length < MAX_FILES) paths.push(found);
    }
  }
  return undefined;
}

/** Undefined for a package that only an import finds. */
function resolveModule(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  try {
    return resolve(name.replace(/^file:\/\//, ""));
  } catch (error) {
    return hasErrorCode(error, "MODULE_NOT_FOUND") ? "missing" : undefined;
  }
}

const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
/** A module that is loaded there may be missing. */
const TRIES = /\btry\s*\{[^}]*\}/g;
const MODULES = /(?:\brequire\(\s*|^\s*import\s+|^\s*(?:import|export)\b[^"';]*\bfrom\s+)(["'])([^"'\n]+)\1/gm;

/** The modules that the code names when it is loaded, without those that it may do without. */
export function namedModules(code: string): string[] {
  const plain = code.replace(COMMENTS, "").replace(TRIES, "");
  return [...new Set([...plain.matchAll(MODULES)].flatMap(([, , name]) => name ?? []))];
}

/** @param text what `node --check` writes */
function syntaxFault(text: string): string | undefined {
  const [, place = ""] = /^(?:file:\/\/)?(\/.+:\d+)$/m.exec(text) ?? [];
  const error = /^SyntaxError: .*$/m.exec(text)?.[0];
  return error === undefined ? undefined : `${place === "" ? "" : `${place}: `}${error}`;
}
