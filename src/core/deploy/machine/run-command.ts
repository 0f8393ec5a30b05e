import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parsePidStat } from "../../files/proc.ts";
import { readIfReadable, readlink } from "../../files/system.ts";
import type { CommandOptions, CommandResult, Deploys } from "../port-deploys.ts";
import type { StartedCommand } from "../record.ts";

const LAST_LINES = 20;
const MAX_LINE = 2000;
const MAX_STDOUT = 2 ** 24;
/** Between the request to end and the kill. */
const GRACE_MS = 3000;

type Ending = "timeout" | "aborted";

/** @see Deploys.run */
export const runCommand: Deploys["run"] = async (command, options) => {
  const [program = "", ...args] = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  if (options.signal?.aborted) return { end: "aborted", exitCode: null, signal: null, stdout: "", lastLines: [] };
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
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
    await options.onStart?.({ pid, startTime: startTimeOf(pid) });
    const { code, signal } = await ended;
    const ending = limits.ending();
    // Programs that it left in the background end with it; their pipes would stay open.
    signalGroup(pid, "SIGKILL");
    await output.closed;
    const end = ending ?? (signal === null ? "exit" : "signal");
    return { end, exitCode: code, signal, stdout: output.stdout(), lastLines: output.lastLines() };
  } catch (error) {
    signalGroup(pid, "SIGKILL");
    throw error;
  } finally {
    limits.stop();
  }
};

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
    closed: Promise.all(closed),
    stdout: () => Buffer.concat(chunks).toString("utf8"),
    lastLines: (): CommandResult["lastLines"] => [...last],
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Every process of the group has ended.
  }
}

function startTimeOf(pid: number): string | null {
  return parsePidStat(readIfReadable(`/proc/${pid}/stat`))?.startTime ?? null;
}

/** A group whose first process is gone counts only with processes that work in the release. @see Deploys.endCommands */
export async function endCommands(commands: readonly StartedCommand[], folder: string): Promise<void> {
  for (const { pid, startTime } of commands) {
    const now = startTimeOf(pid);
    if (now !== null && now === startTime) signalGroup(pid, "SIGKILL");
    else if (now === null) for (const member of await membersIn(pid, folder)) process.kill(member, "SIGKILL");
  }
}

async function membersIn(group: number, folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    const text = readIfReadable(`/proc/${name}/stat`);
    const [, , processGroup] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (processGroup !== String(group)) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd === folder || cwd.startsWith(`${folder}/`)) found.push(Number(name));
  }
  return found;
}
