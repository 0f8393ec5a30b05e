/** Kinds of end, as PM2 7 logs them, with what the other witnesses say. */
import type { ExecMode } from "../../../src/core/pm2/pm2-fields.ts";
import type { Cause } from "../../../src/core/api/names.ts";

export interface KindOfEnd {
  readonly title: string;
  readonly mode: ExecMode;
  /** Lines of pm2.log between the start of the process and the end of the evidence, with the second. */
  readonly lines: readonly (readonly [number, string])[];
  /** The process ended at second 5 and wrote to its error log then. */
  readonly hasErrors?: boolean;
  readonly isTask?: boolean;
  readonly tail?: readonly string[];
  /** An action of svcm on the process, from second 4 to 6. */
  readonly action?: "process.restart" | "process.stop";
  /** The kernel killed the process, and a watcher had its pid; or the kernel killed one of that name. */
  readonly kernel?: "pid" | "name";
  readonly cause: Cause;
  readonly certainty: "certain" | "likely" | "unknown";
}

export const AT = 5;
const online = (mode: ExecMode): string => `App [api:0] starting in -${mode} mode-`;
const exit = (code: number, signal = "SIGINT"): string =>
  `App [api:0] exited with code [${code}] via signal [${signal}]`;
const STOPPING = "Stopping app:api id:0";
const MEMORY =
  "[PM2][WORKER] Process 0 restarted because it exceeds --max-memory-restart value (current_memory=84455424 max_memory_limit=83886080 [octets])";
const WATCH = "Change detected on path src/a.js for app api - restarting";
const GAVE_UP = 'Script /srv/app.js had too many unstable restarts (1). Stopped. "errored"';
const DAEMON = "--- New PM2 Daemon started ----------------------------------------------------";
const HEAP = ["FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"];

/** `ends`: the line of the end alone; `again`: PM2 starts it again. */
const ends = (mode: ExecMode, line: string): KindOfEnd["lines"] => [
  [1, online(mode)],
  [AT, line],
];
const again = (mode: ExecMode, line: string): KindOfEnd["lines"] => [...ends(mode, line), [AT, online(mode)]];
const ordered = (mode: ExecMode, ...before: string[]): KindOfEnd["lines"] => [
  [1, online(mode)],
  ...before.map((line) => [AT, line] as const),
  [AT, STOPPING],
  [AT, exit(0)],
  [AT, online(mode)],
];

function ofMode(mode: ExecMode): KindOfEnd[] {
  const signals = ["SIGKILL", "SIGTERM", "SIGHUP", "SIGSEGV", "SIGABRT", "SIGUSR2"];
  return [
    ...signals.map((signal): KindOfEnd => ({
      title: `${signal}, from outside or by itself`,
      mode,
      lines: again(mode, exit(0, signal)),
      cause: "signal",
      certainty: "certain",
    })),
    {
      title: "SIGKILL by the kernel, with the recorded pid",
      mode,
      lines: again(mode, exit(0, "SIGKILL")),
      kernel: "pid",
      cause: "oom-kill",
      certainty: "certain",
    },
    {
      title: "SIGKILL by the kernel, by time and name",
      mode,
      lines: again(mode, exit(0, "SIGKILL")),
      kernel: "name",
      cause: "oom-kill",
      certainty: "likely",
    },
    { title: "process.exit(7)", mode, lines: again(mode, exit(7)), cause: "crash", certainty: "likely" },
    {
      title: "a handler of SIGTERM that exits with 1",
      mode,
      lines: again(mode, exit(1)),
      cause: "crash",
      certainty: "likely",
    },
    {
      title: "the code of a shell for SIGTERM",
      mode,
      lines: again(mode, exit(143)),
      cause: "signal",
      certainty: "likely",
    },
    { title: "a job that fails with 3", mode, lines: ends(mode, exit(3)), cause: "crash", certainty: "likely" },
    { title: "the memory limit", mode, lines: ordered(mode, MEMORY), cause: "memory-limit", certainty: "certain" },
    { title: "a changed file", mode, lines: ordered(mode, WATCH), cause: "watch", certainty: "certain" },
    { title: "pm2 restart", mode, lines: ordered(mode), cause: "pm2-cli", certainty: "likely" },
    {
      title: "svcm restart",
      mode,
      lines: ordered(mode),
      action: "process.restart",
      cause: "svcm",
      certainty: "certain",
    },
    {
      title: "svcm stop",
      mode,
      lines: ordered(mode).slice(0, 3),
      action: "process.stop",
      cause: "svcm",
      certainty: "certain",
    },
    {
      title: "a killed daemon",
      mode,
      lines: [
        [1, online(mode)],
        [AT, DAEMON],
      ],
      cause: "daemon",
      certainty: "likely",
    },
    {
      title: "pm2 kill",
      mode,
      lines: [...ordered(mode).slice(0, 3), [AT, "PM2 successfully stopped"]],
      cause: "daemon",
      certainty: "likely",
    },
    {
      title: "a signal to the daemon",
      mode,
      lines: [
        [1, online(mode)],
        [AT, "pm2 has been killed by signal, dumping process list before exit..."],
        [AT, STOPPING],
        [AT, exit(0)],
      ],
      cause: "daemon",
      certainty: "likely",
    },
    {
      title: "a deaf process that PM2 kills",
      mode,
      lines: [
        ...ordered(mode).slice(0, 2),
        [AT, "Process with pid 9 still alive after 1600ms, sending it SIGKILL now..."],
        [AT, exit(0, "SIGKILL")],
      ],
      cause: "pm2-cli",
      certainty: "likely",
    },
  ];
}

export const kindsOfEnd: readonly KindOfEnd[] = [
  ...ofMode("fork"),
  ...ofMode("cluster"),
  {
    title: "an uncaught error",
    mode: "fork",
    lines: again("fork", exit(1)),
    hasErrors: true,
    cause: "crash",
    certainty: "likely",
  },
  {
    title: "a loop that PM2 gave up",
    mode: "fork",
    lines: [...ends("fork", exit(1)), [AT, GAVE_UP]],
    hasErrors: true,
    cause: "crash",
    certainty: "likely",
  },
  { title: "exit 0, or SIGINT", mode: "fork", lines: again("fork", exit(0)), cause: "exit", certainty: "likely" },
  { title: "a job that ends well", mode: "fork", lines: ends("fork", exit(0)), cause: "exit", certainty: "likely" },
  {
    title: "a job that ends well after a warning",
    mode: "fork",
    lines: ends("fork", exit(0)),
    hasErrors: true,
    cause: "exit",
    certainty: "likely",
  },
  {
    title: "a full heap",
    mode: "fork",
    lines: again("fork", exit(0, "SIGABRT")),
    hasErrors: true,
    tail: HEAP,
    cause: "crash",
    certainty: "likely",
  },
  {
    title: "an uncaught error",
    mode: "cluster",
    lines: again("cluster", exit(0)),
    hasErrors: true,
    cause: "crash",
    certainty: "likely",
  },
  {
    title: "an error while it loads, without a text",
    mode: "cluster",
    lines: again("cluster", exit(0)),
    cause: "crash",
    certainty: "likely",
  },
  {
    title: "a task that ended in each of two runs",
    mode: "cluster",
    isTask: true,
    lines: [
      [AT - 4, online("cluster")],
      [AT, exit(0)],
      [AT + 20, online("cluster")],
      [AT + 21, exit(0)],
    ],
    cause: "unknown",
    certainty: "unknown",
  },
  {
    title: "a repeated end that PM2 gave up",
    mode: "cluster",
    lines: [...again("cluster", exit(0)), [AT + 1, exit(0)], [AT + 1, GAVE_UP]],
    cause: "crash",
    certainty: "likely",
  },
  {
    title: "a job whose error is in its log",
    mode: "cluster",
    lines: ends("cluster", exit(0)),
    hasErrors: true,
    cause: "crash",
    certainty: "likely",
  },
  {
    title: "a job that ended well or not",
    mode: "cluster",
    lines: ends("cluster", exit(0)),
    cause: "unknown",
    certainty: "unknown",
  },
  {
    title: "a reload for the memory limit",
    mode: "cluster",
    lines: [
      [1, online("cluster")],
      [AT, MEMORY],
      [AT, online("cluster")],
      [AT, "Stopping app:api id:_old_0"],
      [AT, exit(0).replace("api:0", "api:_old_0")],
    ],
    cause: "memory-limit",
    certainty: "certain",
  },
  {
    title: "a reload by a command",
    mode: "cluster",
    lines: [
      [1, online("cluster")],
      [AT, online("cluster")],
      [AT, "Stopping app:api id:_old_0"],
      [AT, exit(0).replace("api:0", "api:_old_0")],
    ],
    cause: "pm2-cli",
    certainty: "likely",
  },
];
