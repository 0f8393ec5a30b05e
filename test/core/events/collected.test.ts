/** Events from their sources: which of them are read, from when on the events are whole, and what each source explains. */
import { describe, expect, test } from "vitest";
import { collectEvents, collectNewestEvents } from "../../../src/core/events/collect-events.ts";
import { FileError } from "../../../src/core/files/ports.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { recordOf } from "../../support/records.ts";
import { api, makePorts, NOW, type Line } from "./why-world.ts";

const MINUTE = 60_000;
const SINCE = NOW - 60 * MINUTE;

interface Scene {
  readonly lines?: readonly Line[];
  readonly list?: readonly ProcessRecord[] | Error;
  readonly tail?: { readonly lines: readonly string[]; readonly writtenMs: number } | Error;
  readonly log?: object | Error;
  readonly audit?: object | Error;
  readonly kernel?: object;
  readonly releases?: readonly object[];
}

function play({ lines = [], list = [api()], tail, log, audit, kernel = {}, releases = [] }: Scene) {
  const queried: string[] = [];
  const queries: object[] = [];
  const tails: string[] = [];
  const answer = async (name: string, value: unknown) => {
    queried.push(name);
    if (value instanceof Error) throw value;
    return value;
  };
  const stamp = (second: number) => new Date(SINCE + second * 1000).toISOString().slice(0, 19);
  const entries = lines.flatMap(([second, text]) => logEntry(`${stamp(second)}: PM2 log: ${text}`) ?? []);
  const found = log instanceof Error ? log : { entries, isComplete: true, isTruncated: false, ...log };
  const made = makePorts({ releases });
  const ports = {
    ...made,
    processLogs: {
      ...made.processLogs,
      readPm2Log: (query: object) => (queries.push(query), answer("log", found)),
      readErrorTail: ({ name, pmId }: ProcessRecord) => (tails.push(`${name} ${pmId}`), answer("tail", tail)),
    },
    audit: {
      newest: (query: object) => (queries.push(query), answer("audit", audit ?? { records: [], isComplete: true })),
    },
    sightings: { ...made.sightings, readKernel: () => answer("kernel", kernel) },
    processes: { list: () => answer("list", list) },
  } as never;
  return { ports, queried, queries, tails };
}

async function collect(scene: Scene, sinceMs = SINCE) {
  const { ports, ...noted } = play(scene);
  const collected = await collectEvents(ports, sinceMs, undefined);
  return { ...collected, ...noted, found: collected.events.map(({ event }) => event) };
}

const START: Line = [1, "App [api:0] starting in -fork mode-"];
const exit = (second: number, code = 1, signal = "SIGINT"): Line => [
  second,
  `App [api:0] exited with code [${code}] via signal [${signal}]`,
];

describe("the time from which events are whole", () => {
  test.each([
    ["is the requested one", {}, SINCE, 1],
    ["is later if only the newest part of the log was read", { isTruncated: true }, SINCE + 605_000, 0],
  ])("%s", async (_what, log, fromMs, count) => {
    const collected = await collect({ lines: [exit(5)], log });
    expect([collected.fromMs, collected.events.length]).toEqual([fromMs, count]);
  });

  test("is never before the requested one, and ten minutes before it may explain an event", async () => {
    expect((await collect({ lines: [exit(0)] })).events).toHaveLength(1);
    const lines: readonly Line[] = [[-700, "Stopping app:api id:0"], exit(-1), exit(700)];
    const collected = await collect({ lines, log: { isTruncated: true } });
    expect([collected.fromMs, collected.found.map(({ kind }) => kind)]).toEqual([SINCE, ["exit"]]);
    expect(collected.queries).toMatchObject([{ sinceMs: SINCE - 10 * MINUTE }, { since: SINCE - 10 * MINUTE }]);
  });
});

test.each<[string, Scene, boolean]>([
  ["both logs are whole", {}, true],
  ["PM2's log is not", { log: { isComplete: false } }, false],
  ["the audit log is not", { audit: { records: [], isComplete: false } }, false],
  ["there are 999 records", { audit: { records: Array(999).fill(recordOf("a")), isComplete: true } }, true],
  ["there may be more records", { audit: { records: Array(1000).fill(recordOf("a")), isComplete: true } }, false],
])("if %s, the events are complete: %s", async (_what, scene, isComplete) => {
  expect((await collect(scene)).isComplete).toBe(isComplete);
});

test.each<[string, Scene, object]>([
  [
    "PM2's log",
    { log: new FileError("EACCES", "/pm2.log", "no") },
    { kind: "EVENTS_FAILED", body: { code: "EACCES" } },
  ],
  [
    "the audit log",
    { audit: new FileError("EIO", "/audit", "no") },
    { kind: "AUDIT_FAILED", body: { path: "/audit" } },
  ],
  ["svcm itself", { log: new TypeError("defect") }, { message: "defect" }],
])("a failure of %s is named", async (_what, scene, error) => {
  await expect(collect(scene)).rejects.toMatchObject(error);
});

test.each<[string, readonly Line[], readonly string[]]>([
  ["without an end", [START], ["log", "audit"]],
  ["for an end with a code", [START, exit(5)], ["log", "audit"]],
  ["for a SIGKILL, the kernel and PM2's list", [START, exit(5, 0, "SIGKILL")], ["log", "audit", "list", "kernel"]],
  ["for code 0 without a mode, PM2's list and the error log", [exit(5, 0)], ["log", "audit", "list", "tail"]],
])("nothing more is read %s", async (_what, lines, queried) => {
  const collected = await collect({ lines, list: [api({ execMode: "cluster" })] });
  expect(collected.queried.toSorted()).toEqual(queried.toSorted());
});

describe("an end with code 0", () => {
  const CLUSTER: Line = [1, "App [api:0] starting in -cluster mode-"];
  const fresh = { lines: ["Error: boom"], writtenMs: SINCE + 5400 };
  const task = { ...api().declaration, settings: { autorestart: false } };
  test.each<[string, Scene, string, string]>([
    ["in fork mode is an exit", { lines: [START, exit(5, 0)] }, "exit", "likely"],
    ["in a cluster is unknown", { lines: [CLUSTER, exit(5, 0)] }, "unknown", "unknown"],
    ["in a cluster, with an error, is a crash", { lines: [CLUSTER, exit(5, 0)], tail: fresh }, "crash", "likely"],
    [
      "in a cluster, with an old error, is unknown",
      { lines: [CLUSTER, exit(5, 0)], tail: { ...fresh, writtenMs: SINCE } },
      "unknown",
      "unknown",
    ],
    [
      "in a cluster, with an empty error log, is unknown",
      { lines: [CLUSTER, exit(5, 0)], tail: { ...fresh, lines: [] } },
      "unknown",
      "unknown",
    ],
    [
      "in a cluster, with a log that cannot be read, is unknown",
      { lines: [CLUSTER, exit(5, 0)], tail: new FileError("EACCES", "/x", "no") },
      "unknown",
      "unknown",
    ],
    ["again and again in a cluster is a crash", { lines: [CLUSTER, exit(5, 0), exit(905, 0)] }, "crash", "likely"],
    [
      "twice within an hour in a cluster is unknown",
      { lines: [CLUSTER, exit(5, 0), exit(906, 0)] },
      "unknown",
      "unknown",
    ],
    [
      "again and again of a task in a cluster is unknown",
      { lines: [CLUSTER, exit(5, 0), exit(6, 0)], list: [api({ declaration: task, execMode: "cluster" })] },
      "unknown",
      "unknown",
    ],
    [
      "is one of the mode that PM2's list has",
      { lines: [exit(5, 0)], list: [api({ execMode: "fork" }), api({ pmId: 1, execMode: "cluster" })] },
      "exit",
      "likely",
    ],
    ["is unknown if PM2 does not answer", { lines: [exit(5, 0)], list: new Error("down") }, "unknown", "unknown"],
  ])("%s", async (_what, scene, cause, certainty) => {
    const [event] = (await collect(scene)).found;
    expect(event).toMatchObject({ cause, certainty, kind: "exit" });
    expect(event?.exitCode).toBe(cause === "exit" ? 0 : undefined);
  });

  test("reads the error log of each process once, for its last end", async () => {
    const other: Line = [7, "App [web:1] exited with code [0] via signal [SIGINT]"];
    const list = [api({ name: "web" }), api({ pmId: 1 }), api({ execMode: "cluster" })];
    const { tails } = await collect({ lines: [exit(5, 0), exit(6, 0), other], list });
    expect(tails).toEqual(["api 0", "web 1"]);
  });

  test("reads twenty error logs at most", async () => {
    const lines = Array.from(
      { length: 22 },
      (_, pmId) => exit(5, 0).with(1, `App [api:${pmId}] exited with code [0] via signal [SIGINT]`) as never as Line,
    );
    const { tails } = await collect({ lines, list: [] });
    expect(tails).toHaveLength(20);
  });
});

test("an app that only the release of an apply names was started by it", async () => {
  const web: Line = [5, "App [web:1] starting in -fork mode-"];
  const timestamp = new Date(SINCE + 9000).toISOString();
  const apply = recordOf("a", {
    action: "plan.apply",
    timestamp,
    ms: 9000,
    processes: [{ name: "api", pmId: 0, pm2Home: "/pm2" }],
  });
  const head = {
    event: "release",
    id: "r",
    startedAt: new Date(SINCE + 1000).toISOString(),
    before: [],
    left: { apps: {} },
  };
  const releases = [[{ ...head, steps: [{ do: "start", app: "web", pmIds: [] }] }]];
  const of = async (records: readonly object[]) => {
    const { found } = await collect({ lines: [web], audit: { records, isComplete: true }, releases });
    return found.find(({ app }) => app === "web")?.cause;
  };
  const write = recordOf("b", { timestamp });
  expect([await of([write, apply]), await of([write])]).toEqual(["svcm", "unknown"]);
});

test.each([
  ["another program", "mysqld", "signal"],
  ["the app", "node /srv/api.j", "oom-kill"],
])("a kill of %s by the kernel explains an end as %3$s", async (_what, name, cause) => {
  const kernel = { logged: [{ atMs: SINCE + 5000, pid: 9, name }] };
  const list = [api({ pmId: 1, script: "/x.js" }), api({ name: "web", script: "/x.js" }), api()];
  const [event] = (await collect({ lines: [START, exit(5, 0, "SIGKILL")], kernel, list })).found;
  expect(event?.cause).toBe(cause);
});

describe("a stop by PM2 of an app with a schedule", () => {
  const at = (second: number): readonly Line[] => [
    [second, "[PM2] Deregistering a cron job on: 0"],
    [second, "Stopping app:api id:0"],
    exit(second, 0),
    [second, "App [api:0] starting in -fork mode-"],
  ];
  const SCHEDULED = "PM2 restarted it when its schedule */10 * * * * says.";
  const FULL = "PM2 restarted it at a full minute, and it has a schedule.";
  test.each<[string, number, Scene["list"], string, string?]>([
    ["at the time of its schedule", 600, [api({ cronRestart: "*/10 * * * *" })], "cron", SCHEDULED],
    ["at another time", 660, [api({ cronRestart: "*/10 * * * *" })], "pm2-cli"],
    ["at a full minute, if its schedule is not known", 660, [api()], "cron", FULL],
    ["within a minute, if its schedule is not known", 665, [api()], "pm2-cli"],
    ["at a full minute, if PM2 does not answer", 660, new Error("down"), "cron", FULL],
  ])("%s", async (_what, second, list, cause, why) => {
    const [event] = (await collect({ lines: at(second), ...(list !== undefined && { list }) })).found;
    expect(event?.cause).toBe(cause);
    if (cause === "cron") expect(event).toMatchObject({ certainty: "likely", evidence: [why] });
  });
});

test.each<[string, readonly Line[], string, string]>([
  [
    "at the time of its schedule",
    [[600, "[PM2] Deregistering a cron job on: 0"]],
    "cron",
    "PM2 started it when its schedule */10 * * * * says.",
  ],
  ["by a command then", [], "unknown", "PM2's log records the start, but not who requested it."],
  [
    "by a command long after PM2 wrote of the schedule",
    [[500, "[PM2] Deregistering a cron job on: 0"]],
    "unknown",
    "PM2's log records the start, but not who requested it.",
  ],
])("a start of a job that rests %s", async (_what, before, cause, why) => {
  const lines = [START, exit(5, 0), ...before, [600, "App [api:0] starting in -fork mode-"] as const];
  const [newest] = (await collect({ lines, list: [api({ cronRestart: "*/10 * * * *" })] })).found;
  expect(newest).toMatchObject({ kind: "start", cause, evidence: [why] });
});

test.each<[string, boolean, boolean, number]>([
  ["the newest part is enough", true, true, 1],
  ["it is not", true, false, 2],
  ["it is the whole log", false, false, 1],
])("if %s, the log is read as often as needed", async (_what, isTruncated, isEnough, reads) => {
  const { ports, queried, queries } = play({ lines: [exit(5)], log: { isTruncated } });
  const wanted = { sinceMs: SINCE, upToMs: NOW, required: [], isEnough: () => isEnough } as never;
  await collectNewestEvents(ports, wanted, undefined);
  expect(queried.filter((name) => name === "log")).toHaveLength(reads);
  expect(queries[0]).toMatchObject({ limit: { entries: 20_000, upToMs: NOW } });
  if (reads === 2) expect(queries.at(-2)).toMatchObject({ required: [] });
});
