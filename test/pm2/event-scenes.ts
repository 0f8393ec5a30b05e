/** Ends of processes, as a user, a program or the machine causes them under a real PM2. */
import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SvcmEvent } from "../../src/core/index.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";
import type { App, Pm2 } from "../support/pm2-daemon.ts";
import { expect } from "vitest";

const run = promisify(execFile);

export interface Stage {
  readonly own: Pm2;
  readonly record: () => Promise<ProcessRecord>;
  readonly command: (...args: string[]) => Promise<unknown>;
}

export interface Scene {
  readonly title: string;
  readonly app: App;
  readonly act?: (stage: Stage) => Promise<unknown>;
  readonly isOver: (record: ProcessRecord) => boolean;
  readonly expected: Partial<SvcmEvent>;
  /** A part of the evidence. */
  readonly says?: string;
}

export function pm2Command(own: Pm2, program: string): Stage["command"] {
  const env = { PATH: process.env["PATH"] ?? "", HOME: own.folder, PM2_HOME: own.home, PM2_DISABLE_VERSION_CHECK: "1" };
  return (...args) => run(process.execPath, [program, ...args], { env });
}

const isRestarted = ({ restartCount }: ProcessRecord): boolean => restartCount > 0;
const isStopped = ({ status }: ProcessRecord): boolean => status === "stopped";
const kill =
  (signal: NodeJS.Signals) =>
  async ({ record }: Stage): Promise<void> => {
    const { pid } = await record();
    process.kill(pid ?? 0, signal);
  };

/** A scene that repeats has no kind, because PM2 may be between stop and start. */
export const scenes: readonly Scene[] = [
  {
    title: "an exit code is a crash",
    app: { name: "coded", autorestart: false, code: "process.exit(3);" },
    isOver: isStopped,
    expected: { kind: "exit", cause: "crash", certainty: "likely", exitCode: 3 },
  },
  {
    title: "an uncaught exception is a crash",
    app: { name: "thrown", autorestart: false, code: 'throw new Error("cannot reach db");' },
    isOver: isStopped,
    expected: { kind: "exit", cause: "crash", certainty: "likely", exitCode: 1 },
  },
  {
    title: "the exit code 0 looks like SIGINT, so the cause is only likely",
    app: { name: "done", autorestart: false, code: "process.exit(0);" },
    isOver: isStopped,
    expected: { kind: "exit", cause: "exit", certainty: "likely", exitCode: 0 },
  },
  ...(["SIGKILL", "SIGTERM", "SIGUSR2"] as const).map((signal): Scene => ({
    title: `${signal} from outside is a signal, and its sender is unknown`,
    app: { name: signal.toLowerCase() },
    act: kill(signal),
    isOver: isRestarted,
    expected: { kind: "exit", cause: "signal", certainty: "certain", signal },
    says: "PM2 does not know the sender",
  })),
  {
    title: "a signal by PM2's command is a signal",
    app: { name: "signalled" },
    act: ({ command }) => command("sendSignal", "SIGTERM", "signalled"),
    isOver: isRestarted,
    expected: { kind: "exit", cause: "signal", certainty: "certain", signal: "SIGTERM" },
  },
  {
    title: "a full heap is a crash",
    app: {
      name: "heap",
      autorestart: false,
      node_args: ["--max-old-space-size=16"],
      code: "const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length));",
    },
    isOver: isStopped,
    expected: { kind: "exit", cause: "crash", certainty: "likely", signal: "SIGABRT" },
    says: "Its heap was full",
  },
  {
    title: "the memory limit is certain, with both figures",
    app: { name: "memory", max_memory_restart: "1M" },
    isOver: isRestarted,
    expected: { cause: "memory-limit", certainty: "certain" },
    says: "of at most 1.0 MiB",
  },
  {
    title: "a schedule is likely if the restart began in one of its seconds",
    // Checks each second, because PM2's timer may be late on a loaded machine.
    app: { name: "scheduled", cron_restart: "* * * * * *" },
    isOver: isRestarted,
    expected: { cause: "cron", certainty: "likely" },
    says: "* * * * * *",
  },
  {
    title: "a changed file is certain, with its path",
    app: { name: "watched", watch: ["watched"], watch_delay: 10 },
    // PM2 starts to watch some time after the start, so the file is changed repeatedly until then.
    async act({ own, record }) {
      while (!isRestarted(await record())) appendFileSync(join(own.folder, "watched", "a file.js"), "\n");
    },
    isOver: isRestarted,
    expected: { cause: "watch", certainty: "certain" },
    says: "a file.js",
  },
  {
    title: "a process that ignores SIGINT had to be killed, on the request of a user",
    app: {
      name: "deaf",
      kill_timeout: 200,
      wait_ready: true,
      listen_timeout: 20_000,
      code: "process.on('SIGINT', () => {}); process.send('ready'); setInterval(() => {}, 1e6);",
    },
    act: ({ command }) => command("stop", "deaf"),
    isOver: isStopped,
    expected: { kind: "stop", cause: "pm2-cli", certainty: "likely" },
    says: "so PM2 sent SIGKILL",
  },
  {
    title: "a restart with a delay that grows is part of the end",
    app: { name: "backoff", exp_backoff_restart_delay: 100, code: "setTimeout(() => process.exit(4), 50);" },
    isOver: isRestarted,
    expected: { kind: "exit", cause: "crash", certainty: "likely", exitCode: 4 },
  },
  {
    title: "a restart by PM2's command is only likely if nobody saw the command",
    app: { name: "asked" },
    act: ({ command }) => command("restart", "asked"),
    isOver: isRestarted,
    expected: { kind: "restart", cause: "pm2-cli", certainty: "likely" },
  },
  {
    title: "a crash loop that PM2 gave up ends with a crash",
    // PM2 counts only shorter runs. On a loaded machine a start takes longer than the default of a second.
    app: { name: "loop", max_restarts: 3, min_uptime: 600_000, code: "process.exit(2);" },
    isOver: ({ status }) => status === "errored",
    expected: { kind: "exit", cause: "crash", certainty: "likely", exitCode: 2 },
    says: "PM2 gave up after 3 unstable restarts.",
  },
];

export async function play({ app, act, isOver }: Scene, { own, command }: Omit<Stage, "record">): Promise<void> {
  const link = own.link();
  const record = async (): Promise<ProcessRecord> => {
    const found = (await link.list()).find(({ name }) => name === app.name);
    if (found === undefined) throw new Error(`PM2 has no ${app.name}`);
    return found;
  };
  mkdirSync(join(own.folder, "watched"), { recursive: true });
  await own.run(app);
  await act?.({ own, record, command });
  await expect.poll(async () => isOver(await record())).toBe(true);
}
