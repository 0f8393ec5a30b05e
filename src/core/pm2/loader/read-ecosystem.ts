/** A separate program, because the file's code may do anything in its process; `run-program.ts` confines it. */
import { ChildProcess } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";
import { pm2FileKind, type LoadedApp } from "../loaded.ts";
import { describeError } from "./describe-error.ts";
import { locateApp, examineApp } from "./locate-app.ts";
import { MAX_RESULT_BYTES, type Outcome, RESULT_FD, asksPm2, movesClock } from "./outcome.ts";
import { pickApps, type PickedApp } from "./pick-apps.ts";
import { once } from "../../words/once.ts";
import { isRecord } from "../../words/record.ts";
import { errorMessage } from "../../words/thrown.ts";
import { askPm2 } from "./ask-pm2.ts";
import type { LoadPurpose } from "../ports.ts";

const MAX_ABSENT = 1000;
/** Moves day, hour, minute, second and millisecond, and hardly ever the month. */
const SHIFT_MS = ((25 * 60 + 1) * 60 + 1) * 1000 + 1;
/** A block that has it is a copy of `process.env`. */
const COPY_MARK = "COPY_MARK_OF_SVCM";
const { stringify } = JSON;
const { pid } = process;
const kill = process.kill.bind(process);

const absent = trackAbsentVariables();
/** A copy of all variables lacks these, and the file can read them by name. */
const uncopied = new Set<string>();
keepChildrenInGroup();
const [pm2, purpose, file, pm2Env] = process.argv.slice(-4) as [string, LoadPurpose, string, string];
const command = [process.execPath, pm2 === "" ? "pm2" : `${pm2}/bin/pm2`, "start", file];
process.argv = [...command, ...(pm2Env === "" ? [] : ["--env", pm2Env])];
const kind = pm2FileKind(file.replace(/^.*\//s, ""));
// The YAML parser takes longer to load than everything else here, and most ecosystem files are JavaScript.
if (kind === "yaml") void import("../../yaml/load.ts").then(({ loadYaml }) => end(() => loadYaml(readSource())));
else end(kind === "json" ? runJson : () => createRequire(file)(file));

/** Exits before a timer or `exit` handler of the file can run. */
function end(load: () => unknown): void {
  send(run(load));
  kill(pid, "SIGKILL");
}

function run(load: () => unknown): Outcome {
  try {
    const { cache } = createRequire(file);
    const loadedBefore = new Set(Object.keys(cache));
    const shell = { ...process.env };
    if (movesClock(purpose)) {
      moveClock();
      process.env[COPY_MARK] = "1";
    }
    const { exported, readsCommand } = watchCommand(load);
    const { apps, ...rest } = pickApps(exported);
    const loaded = Object.keys(cache).filter((path) => !loadedBefore.has(path));
    const files = [...new Set([file, ...loaded])];
    const outcome = { ok: true, ...rest, files, absent: [...absent], readsCommand } as const;
    const reload = once(() => {
      for (const path of loaded) delete cache[path];
      for (const key of [COPY_MARK, ...Object.keys(shell)]) uncopied.add(key);
      return appsOf(load);
    });
    const located = apps.map((app, index) => {
      const ownBlock = (field: string): unknown => reload()[index]?.fields[field];
      return withoutMark(locateApp(app, pm2), shell, ownBlock);
    });
    if (!asksPm2(purpose)) return { ...outcome, apps: located };
    return { ...outcome, apps: located.map((app) => judgeApp(app, pm2)), refusals: judgeFile(exported) };
  } catch (error) {
    return describeError(error, file);
  }
}

/** A file may read the name after `--env` from the command that starts it. */
function watchCommand(load: () => unknown): { readonly exported: unknown; readonly readsCommand: boolean } {
  let { argv } = process;
  let readsCommand = false;
  const get = (): string[] => ((readsCommand = true), argv);
  const set = (value: string[]): void => void (argv = value);
  Object.defineProperty(process, "argv", { configurable: true, enumerable: true, get, set });
  const exported = load();
  Object.defineProperty(process, "argv", { configurable: true, enumerable: true, writable: true, value: argv });
  return { exported, readsCommand };
}

/** None if a file cannot be loaded twice. */
function appsOf(load: () => unknown): readonly PickedApp[] {
  try {
    return pickApps(load()).apps;
  } catch {
    return [];
  }
}

/** @param ownBlock the block of a field without what it copies */
function withoutMark(app: LoadedApp, shell: NodeJS.ProcessEnv, ownBlock: (field: string) => unknown): LoadedApp {
  const inherited = new Set<string>();
  const fields = Object.entries(app.fields).map(([field, block]) => {
    if (!/^env(?:_|$)/.test(field) || !isRecord(block) || !Object.hasOwn(block, COPY_MARK)) return [field, block];
    const { [COPY_MARK]: _mark, ...variables } = block;
    const own = ownBlock(field);
    // An ES module is not loaded again, so its block is the same.
    const isOwn = (key: string): boolean => isRecord(own) && !Object.hasOwn(own, COPY_MARK) && Object.hasOwn(own, key);
    for (const [key, value] of Object.entries(variables)) if (value === shell[key] && !isOwn(key)) inherited.add(key);
    return [field, variables];
  });
  return { ...app, fields: Object.fromEntries(fields), ...(inherited.size > 0 && { inherited: [...inherited] }) };
}

function readSource(): string {
  return readFileSync(file, "utf8");
}

/** The bracket is on its own line to keep the columns of the file. */
function runJson(): unknown {
  return runInThisContext(`(\n${readSource()})`, { filename: file, lineOffset: -1 });
}

function trackAbsentVariables(): ReadonlySet<string> {
  const names = new Set<string>();
  const record = (env: NodeJS.ProcessEnv, key: string | symbol): void => {
    if (typeof key === "string" && !Object.hasOwn(env, key) && names.size < MAX_ABSENT) names.add(key);
  };
  process.env = new Proxy(process.env, {
    get(env, key) {
      record(env, key);
      return Reflect.get(env, key) as unknown;
    },
    has(env, key) {
      record(env, key);
      return Reflect.has(env, key);
    },
    getOwnPropertyDescriptor(env, key) {
      record(env, key);
      return Reflect.getOwnPropertyDescriptor(env, key);
    },
    ownKeys: (env) => Reflect.ownKeys(env).filter((key) => typeof key !== "string" || !uncopied.has(key)),
    // Node.js refuses the assignment if the receiver is the proxy.
    set: (env, key, value) => Reflect.set(env, key, value),
  });
  return names;
}

/** Processes that the file starts are killed with this one, unless the file deliberately leaves the process group. */
function keepChildrenInGroup(): void {
  const prototype = ChildProcess.prototype as unknown as { spawn: (options: { detached?: boolean }) => unknown };
  const { spawn } = prototype;
  prototype.spawn = function spawnAttached(options) {
    return spawn.call(this, { ...options, detached: false });
  };
}

function send(outcome: Outcome): void {
  const bytes = Buffer.from(`${stringify(outcome)}\n`);
  const tooLarge = {
    ok: false,
    code: "ECOSYSTEM_FILE_TOO_LARGE",
    reason: "it exports more data than a declaration can have",
  };
  let rest = bytes.length > MAX_RESULT_BYTES ? Buffer.from(`${stringify(tooLarge)}\n`) : bytes;
  while (rest.length > 0) rest = rest.subarray(writeSync(RESULT_FD, rest));
}

/** For the rest of this process, `Date` is in the future. */
function moveClock(): void {
  const Original = Date;
  const now = (): number => Original.now() + SHIFT_MS;
  globalThis.Date = new Proxy(Original, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new Original(now()).toString(),
    get: (target, key, receiver) => (key === "now" ? now : (Reflect.get(target, key, receiver) as unknown)),
  });
}

/** @param folder that of PM2's code; if it is empty, PM2's validation is left out */
function judgeApp(app: LoadedApp, folder: string): LoadedApp {
  return {
    ...app,
    checks: { ...examineApp(app), ...(folder !== "" && { refusals: answerOf(() => askPm2(app, folder)) }) },
  };
}

/** A part of the file that PM2 reads beside the apps. */
function judgeFile(exported: unknown): string[] {
  const { static: servers } = isRecord(exported) ? exported : {};
  return servers && !Array.isArray(servers) ? ['"static" is not a list'] : [];
}

function answerOf(ask: () => string[]): string[] {
  try {
    return ask();
  } catch (error) {
    return [`PM2 cannot be asked: ${errorMessage(error)}`];
  }
}
