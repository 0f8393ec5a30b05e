import type { EcosystemLoader, LoadPurpose } from "../ports.ts";
import { readdir, realpath, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import type { LoadedEcosystem } from "../loaded.ts";
import { once, oneAtATime } from "../../words/once.ts";
import { attempt, fileError, hasErrorCode, queuedMs } from "../../files/system.ts";
import { type FileLocation, asksPm2, MAX_RESULT_BYTES, RESULT_FD } from "./outcome.ts";
import { findPm2 } from "../daemon/find-pm2.ts";
import { pm2Home } from "../../project/workspace.node.ts";
import { hasCredentials, isSecretName } from "../../secrets/redact.ts";
import { FileError } from "../../files/ports.ts";
import { foreignCode, type ErrorCode } from "../../api/issue.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export interface EcosystemLoaderOptions {
  /** PM2 resolves relative paths from its caller's directory. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function ecosystemLoader({ root, env }: EcosystemLoaderOptions): EcosystemLoader {
  const cleaned = once(() => cleanEnvironment(env));
  const load = async (key: string): Promise<LoadedEcosystem> => {
    const [path = "", cwd = "", purpose = "read", pm2Env = ""] = key.split("\0");
    await requireRegularFile(path);
    const { code } = await findPm2({ root, home: pm2Home(env, root).folder, path: env["PATH"] });
    const given = { cwd, env: cleaned().env, purpose: purpose as LoadPurpose, pm2: code?.folder ?? "", pm2Env };
    const resultLine = await runProgram(path, given);
    const { readOutcome } = await import("./read-outcome.ts");
    const outcome = readOutcome(resultLine);
    if (outcome === undefined)
      throw loadError("ECOSYSTEM_EXPORT_INVALID", path, "it wrote other data where svcm expected its result");
    if (!outcome.ok) throw loadError(outcome.code, path, outcome.reason, outcome.at && locationText(outcome.at));
    const { apps, found, isDefaultExport, beside, files, absent, refusals, readsCommand } = outcome;
    const withheld = absent.filter((name) => cleaned().withheldNames.has(name));
    return {
      path,
      realPath: await attempt("open", path, () => realpath(path)),
      apps: apps.map((app) => ({ ...app, absent })),
      found,
      isDefaultExport,
      beside,
      files,
      withheld,
      refusals,
      readsCommand,
    };
  };
  const loadShared = oneAtATime(load);
  return {
    async list(folder) {
      try {
        return await attempt("read", folder, () => readdir(folder));
      } catch (error) {
        if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
        throw error;
      }
    },
    load: (path, cwd = root, purpose = "read", pm2Env = "") => loadShared(`${path}\0${cwd}\0${purpose}\0${pm2Env}`),
    withheldValues: () => cleaned().withheld,
  };
}

/** Reading a FIFO would block forever. */
async function requireRegularFile(path: string): Promise<void> {
  const stats = await attempt("open", path, () => stat(path));
  if (stats.isDirectory()) throw fileError("EISDIR", "read", path);
  if (!stats.isFile()) throw fileError("ENOTREG", "read", path);
}

function locationText({ file, line, column }: FileLocation): string {
  return `${file}:${line}${column === undefined ? "" : `:${column}`}`;
}

const INTERNAL_VARIABLE =
  /^(?:NODE_(?!ENV$|PATH$|EXTRA_CA_CERTS$)|SVC_SERVICE_MANAGEMENT_|PM2_PROGRAMMATIC$|VITEST|SVCM_)/;

/** Shorter secrets may occur inside ordinary words. */
const MIN_SECRET_LENGTH = 6;

function cleanEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const secretValues = entries.filter(isSecret).map(([, value]) => value);
  const withheld = secretValues.filter((value) => value.length >= MIN_SECRET_LENGTH && !isPath(value));
  const isWithheld = ([name, value]: [string, string]): boolean =>
    isSecret([name, value]) || withheld.some((secret) => value.includes(secret));
  const withheldNames = new Set(entries.filter(isWithheld).map(([name]) => name));
  const passedOn = entries.filter(([name]) => !INTERNAL_VARIABLE.test(name) && !withheldNames.has(name));
  return { env: Object.fromEntries(passedOn), withheld, withheldNames };
}

/** A list of folders that contains an `@` looks like a URL with a user. */
function isSecret([name, value]: [string, string]): boolean {
  return isSecretName(name) || (!name.endsWith("PATH") && hasCredentials(value));
}

/** Paths are not secrets, and masking them would hide half of every other path. */
function isPath(value: string): boolean {
  return value.startsWith("/") && existsSync(value);
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly purpose: LoadPurpose;
  /** The folder of PM2's code; empty if there is none. */
  readonly pm2: string;
  /** The name after `--env`; empty without it. */
  readonly pm2Env: string;
}

const PROGRAM = new URL("./read-ecosystem.ts", import.meta.url);
const SHELL = "/bin/sh";
const IS_SOURCE = PROGRAM.pathname.endsWith(".ts");
/** Node.js 24 reserves 512 MiB for code at start, and the TypeScript loader reserves the same again. */
const MEMORY_MIB = IS_SOURCE ? 1536 : 1024;
const HEAP_MIB = 256;
const CPU_SECONDS = 10;
const TIMEOUT_MS = 3000;
/** PM2's library is loaded, too. */
const JUDGE_TIMEOUT_MS = 6000;
/** On a machine that is busy. */
const MAX_TIMEOUT_MS = 20_000;
const LINE_FEED = 10;

/** These limits apply if svcm exits and cannot kill the process. If a limit cannot be set, it is left as it is. */
const WITH_LIMITS = `ulimit -c 0; ulimit -t ${CPU_SECONDS}; ulimit -d ${MEMORY_MIB * 1024}; exec "$0" "$@"`;

/** The process and its children have ended when the promise settles. @throws {FileError} with the file's path */
function runProgram(file: string, options: ProgramOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = startProgram(file, options);
    // A process that could not start for want of a file has no streams.
    const results = (child.stdio as ChildProcess["stdio"] | undefined)?.[RESULT_FD];
    const resultLine = new ResultLine();
    let hasEnded = false;
    const end = (settle: () => void): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      killGroup(child);
      results?.destroy();
      if (hasExited(child)) settle();
      else child.once("exit", settle);
    };
    const fail = (code: ErrorCode, reason: string): void => end(() => reject(loadError(code, file, reason)));
    const { purpose } = options;
    const timeoutMs = asksPm2(purpose) ? JUDGE_TIMEOUT_MS : TIMEOUT_MS;
    const began = performance.now();
    const onTimeout = (): void => {
      const elapsed = performance.now() - began;
      const left = Math.min(timeoutMs + queuedMs(child.pid), MAX_TIMEOUT_MS) - elapsed;
      if (left >= 1) timer = setTimeout(onTimeout, left);
      else fail("ECOSYSTEM_FILE_TIMEOUT", `it did not end within ${Math.round(elapsed)} ms`);
    };
    let timer = setTimeout(onTimeout, timeoutMs);
    child.on("error", ({ code = "EUNKNOWN" }: NodeJS.ErrnoException) =>
      fail(foreignCode(code), "its process could not be started"),
    );
    child.on("close", (code, name) => fail(...describeExit(code, name)));
    results?.on("data", (chunk: Buffer) => {
      const line = resultLine.add(chunk);
      if (line === "too long") fail("ECOSYSTEM_FILE_TOO_LARGE", "it exports more data than a declaration can have");
      else if (line !== undefined) end(() => resolve(line));
    });
  });
}

class ResultLine {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): string | undefined {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > MAX_RESULT_BYTES) return "too long";
    if (chunk.at(-1) !== LINE_FEED) return undefined;
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

function loadError(code: ErrorCode, file: string, reason: string, location = file): FileError {
  return new FileError(code, file, `Cannot load ${location}: ${reason}.`);
}

function startProgram(file: string, { cwd, env, purpose, pm2, pm2Env }: ProgramOptions): ChildProcess {
  const argv = [
    process.execPath,
    `--max-old-space-size=${HEAP_MIB}`,
    "--no-warnings",
    ...programArgv(),
    pm2,
    purpose,
    file,
    pm2Env,
  ];
  const [command = "", ...args] = existsSync(SHELL) ? [SHELL, "-c", `{ ${WITH_LIMITS}; } 2>/dev/null`, ...argv] : argv;
  return spawn(command, args, {
    cwd: existsSync(cwd) ? cwd : "/",
    env,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
}

/** The ecosystem file gets the plain loader of Node.js. */
function programArgv(): string[] {
  const path = fileURLToPath(PROGRAM);
  if (!IS_SOURCE) return [path];
  const tsx = createRequire(import.meta.url).resolve("tsx/cjs/api");
  // Node.js defines these globals for --eval, and an ES module would see them.
  const removed =
    'for (const name of ["module", "exports", "require", "__filename", "__dirname"]) delete globalThis[name];';
  const run = `require(${JSON.stringify(tsx)}).require(${JSON.stringify(path)}, ${JSON.stringify(path)});`;
  return ["--eval", `{ const require = globalThis.require; ${removed} ${run} }`];
}

/** svcm has not yet reaped the group leader, so its pid cannot have been reused. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

function hasExited({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function describeExit(code: number | null, name: string | null): [code: ErrorCode, reason: string] {
  if (name === null && code !== null && code < 128) {
    return ["ECOSYSTEM_FILE_EXITED", `it ended its process (exit code ${code}) instead of exporting apps`];
  }
  const how = name ?? `signal ${(code ?? 128) - 128}`;
  return ["ECOSYSTEM_FILE_CRASHED", `its process died (${how}), most often because of its memory limit`];
}
