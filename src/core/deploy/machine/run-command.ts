import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parsePidStat } from "../../files/proc.ts";
import { listIfReadable, readIfReadable, readlink } from "../../files/system.ts";
import type { CommandOptions, CommandResult, Deploys } from "../port-deploys.ts";
import type { StartedCommand } from "../record.ts";

const LAST_LINES = 20;
const MAX_LINE = 2000;
const MAX_STDOUT = 2 ** 24;
/** Between the request to end and the kill. */
const GRACE_MS = 3000;
/** Every process that a command starts inherits it, also one that leaves the group. */
const MARK = "SVCM_COMMAND";
const MAX_PASSES = 5;

type Ending = "timeout" | "aborted";

/** @see Deploys.run */
export const runCommand: Deploys["run"] = async (command, options) => {
  const [program = "", ...args] = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  if (options.signal?.aborted) return { end: "aborted", exitCode: null, signal: null, stdout: "", lastLines: [] };
  const marked = options.isMarked === true ? { mark: randomUUID() } : {};
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: withMark(options.env, marked),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child.stdout, child.stderr, options);
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  const { pid } = child;
  if (pid === undefined) {
    const { code } = await failed;
    const why = code === "ENOENT" ? `not found in the PATH, or the folder ${options.cwd} is missing` : code;
    return { end: "absent", exitCode: null, signal: null, stdout: "", lastLines: [`${program}: ${why}`] };
  }
  const limits = endInTime(pid, options);
  try {
    await options.onStart?.({ pid, startTime: startTimeOf(pid), ...marked });
    const { code, signal } = await ended;
    const ending = limits.ending();
    // Programs that it left in the background end with it; their pipes would stay open.
    endAll(pid, marked);
    await output.close();
    const end = ending ?? (signal === null ? "exit" : "signal");
    return { end, exitCode: code, signal, stdout: output.stdout(), lastLines: output.lastLines() };
  } catch (error) {
    endAll(pid, marked);
    throw error;
  } finally {
    limits.stop();
  }
};

interface Marked {
  readonly mark?: string;
}

function withMark(env: CommandOptions["env"], { mark }: Marked): Readonly<Record<string, string>> {
  return mark === undefined ? env : { ...env, [MARK]: mark };
}

function endAll(pid: number, { mark }: Marked): void {
  signalGroup(pid, "SIGKILL");
  if (mark !== undefined) endMarked(mark);
}

function endInTime(pid: number, { timeoutMs, signal }: CommandOptions) {
  let ending: Ending | undefined;
  let killer: NodeJS.Timeout | undefined;
  const end = (why: Ending): void => {
    ending ??= why;
    signalGroup(pid, "SIGTERM");
    killer ??= setTimeout(() => signalGroup(pid, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  const abort = (): void => end("aborted");
  signal?.addEventListener("abort", abort, { once: true });
  return {
    ending: () => ending,
    stop: () => {
      clearTimeout(timer);
      clearTimeout(killer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

function collect(stdout: Readable, stderr: Readable, { onLine }: CommandOptions) {
  const chunks: Buffer[] = [];
  let size = 0;
  stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_STDOUT) chunks.push(chunk);
  });
  const last: string[] = [];
  const closed = [stdout, stderr].map(
    (stream) =>
      new Promise<void>((resolve) => {
        const lines = createInterface({ input: stream, crlfDelay: Infinity });
        lines.on("line", (line) => {
          const text = line.slice(0, MAX_LINE);
          if (text.trim() !== "") last.push(text);
          if (last.length > LAST_LINES) last.shift();
          onLine?.(text);
        });
        lines.once("close", resolve);
      }),
  );
  return {
    /** A process that nothing finds may hold the pipes without end. */
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, GRACE_MS)));
      await Promise.race([Promise.all(closed), late]);
      clearTimeout(timer);
      for (const stream of [stdout, stderr]) stream.destroy();
    },
    stdout: () => Buffer.concat(chunks).toString("utf8"),
    lastLines: (): CommandResult["lastLines"] => [...last],
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  kill(-pid, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or every process of the group has.
  }
}

function startTimeOf(pid: number): string | null {
  return parsePidStat(readIfReadable(`/proc/${pid}/stat`))?.startTime ?? null;
}

/** A group whose first process is gone counts only with processes that work in the release. @see Deploys.endCommands */
export async function endCommands(commands: readonly StartedCommand[], folder: string): Promise<void> {
  for (const { pid, startTime, mark } of commands) {
    if (mark !== undefined) endMarked(mark);
    const now = startTimeOf(pid);
    if (now !== null && now === startTime) signalGroup(pid, "SIGKILL");
    else if (now === null) for (const member of await membersIn(pid, folder)) kill(member, "SIGKILL");
  }
}

/**
 * One of them may start another meanwhile. Processes of other users cannot be read. A PM2 daemon, and the apps that it
 * starts, outlive the command.
 */
function endMarked(mark: string): void {
  const isOurs = (pid: number): boolean => {
    const variables = readIfReadable(`/proc/${pid}/environ`).split("\0");
    return variables.includes(`${MARK}=${mark}`) && !variables.some((one) => one.startsWith("PM2_HOME="));
  };
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = pids().filter(isOurs);
    if (found.length === 0) return;
    for (const pid of found) kill(pid, "SIGKILL");
  }
}

function pids(): number[] {
  return listIfReadable("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

async function membersIn(group: number, folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of pids()) {
    const text = readIfReadable(`/proc/${pid}/stat`);
    const [, , processGroup] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (processGroup !== String(group)) continue;
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (cwd === folder || cwd.startsWith(`${folder}/`)) found.push(pid);
  }
  return found;
}
