import { execFile } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { keepLogs, type LogRotationResponse, serverCaller } from "../../src/core/index.ts";
import { nodeLogCare } from "../../src/core/logs/care/log-care.node.ts";
import { watchedLogs } from "../support/logs.ts";
import { quietApp } from "../support/quiet-app.ts";
import { canMount, mountUntil } from "../support/machine.ts";
import { longTest } from "../support/runs.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const { own, ports } = runningPm2();
const KIB = 1024;

const care = nodeLogCare({ pm2Home: own.home, folders: [own.folder], nowMs: Date.now });
const { way } = await nodeLogCare({ pm2Home: "/", folders: [], nowMs: Date.now }).wayAt(join(tmpdir(), "x.log"));
const isAble = way === "collapse";

const surveyed = async (path: string) => (await care.look()).logs.find((log) => log.path === path)!;
const HOW = { way: "collapse", maxBytes: 100 * KIB, keep: 10_000, compress: true } as const;

function linesIn(path: string): string[] {
  const folder = join(path, "..");
  const name = path.slice(folder.length + 1);
  const rotated = readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.`))
    .toSorted();
  return [...rotated, name].flatMap((file) => {
    const bytes = readFileSync(join(folder, file));
    const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
    return text.split("\n").filter((line) => line !== "");
  });
}

/** Writes numbered lines of several lengths at its own pace, until it gets SIGUSR2. */
const writer = (perTick: number): string => `
  let n = 0;
  const write = () => {
    for (let at = 0; at < ${perTick}; at += 1) console.log(process.pid + " n" + (n += 1) + " " + "x".repeat(n % 160));
  };
  const timer = setInterval(write, 10);
  setInterval(() => {}, 1e6);
  process.on("SIGUSR2", () => { clearInterval(timer); console.log(process.pid + " end " + n); });`;

async function stopWriters(name: string): Promise<void> {
  for (const { pid, name: app } of await ports.processes.list()) if (app === name && pid) process.kill(pid, "SIGUSR2");
}

/** Each writer's lines, in its order, without a gap. */
function expectAll(lines: readonly string[], writers: number): void {
  const pids = [...new Set(lines.map((line) => line.split(" ")[0]!))];
  expect(pids).toHaveLength(writers);
  for (const pid of pids) {
    const all = lines.filter((line) => line.startsWith(`${pid} `));
    const count = Number(all.at(-1)!.split(" ")[2]);
    const wanted = Array.from({ length: count }, (_, at) => `${pid} n${at + 1} ${"x".repeat((at + 1) % 160)}`);
    expect(all).toEqual([...wanted, `${pid} end ${count}`]);
  }
}

async function remove(name: string): Promise<void> {
  for (const one of await ports.processes.list()) if (one.name === name) await ports.processes.remove(one);
}

interface Scene {
  readonly name: string;
  readonly app: object;
  readonly writers: number;
  readonly perTick: number;
  readonly rotations: number;
}

/** A follower that begins with the first line, and a search in the middle, see each line once. */
async function rotateUnderLoad({ name, app, writers, perTick, rotations }: Scene): Promise<number> {
  const path = join(own.folder, `${name}.log`);
  const all = watchedLogs(ports, { grep: " " });
  await all.begun();
  await own.run({ name, out_file: path, merge_logs: true, code: writer(perTick), ...app });
  const followed = (): string[] =>
    all.batches.flatMap(({ lines }) => lines.filter((line) => line.app === name).map(({ text }) => text));
  let done = 0;
  while (done < rotations) {
    const { files } = await care.rotate(await surveyed(path), HOW);
    done += files.length;
    if (files.length === 0) await all.until(() => statSync(path).size >= 100 * KIB);
  }
  await stopWriters(name);
  const ends = (lines: readonly string[]): number => lines.filter((line) => line.includes(" end ")).length;
  await all.until(() => ends(followed()) === writers);
  expectAll(linesIn(path), writers);
  expectAll(followed(), writers);
  const found = await ports.logs.read({ apps: [name], limit: 1_000_000 });
  expectAll(
    found.lines.map(({ text }) => text),
    writers,
  );
  await remove(name);
  return done;
}

longTest.runIf(isAble)("lines that are written between any two steps of a rotation reach a follower once", async () => {
  const path = await quietApp(own, "raced", "");
  const all = watchedLogs(ports, { app: "raced" });
  await all.begun();
  const wanted: string[] = [];
  const write = (count: number): void => {
    const lines = Array.from({ length: count }, (_, at) => `n${wanted.length + at} ${"z".repeat(at % 160)}`);
    wanted.push(...lines);
    appendFileSync(path, `${lines.join("\n")}\n`);
  };
  const onStep = (): void => write(7);
  const stepwise = nodeLogCare({ pm2Home: own.home, folders: [own.folder], nowMs: Date.now, onStep });
  for (let turn = 0; turn < 4; turn += 1) {
    write(3000);
    const { files } = await stepwise.rotate(await surveyed(path), HOW);
    expect(files.length).toBeGreaterThan(0);
  }
  write(1);
  await all.until(() => all.lines.includes(wanted.at(-1)!));
  expect(all.lines).toEqual(wanted);
  expect(linesIn(path)).toEqual(wanted);
});

longTest.runIf(isAble)(
  "while an app writes, rotations lose and double no line: in the files, for a follower, for a search",
  async () => {
    expect(
      await rotateUnderLoad({ name: "fork", app: {}, writers: 1, perTick: 40, rotations: 12 }),
    ).toBeGreaterThanOrEqual(12);
  },
);

longTest.runIf(isAble)(
  "100 rotations at 10,000 lines a second: fork, and cluster with one file",
  { timeout: 600_000 },
  async () => {
    expect(
      await rotateUnderLoad({ name: "fast", app: {}, writers: 1, perTick: 100, rotations: 100 }),
    ).toBeGreaterThanOrEqual(100);
    const cluster = { exec_mode: "cluster", instances: 2 };
    expect(
      await rotateUnderLoad({ name: "cluster", app: cluster, writers: 2, perTick: 50, rotations: 100 }),
    ).toBeGreaterThanOrEqual(100);
  },
);

longTest.runIf(isAble)(
  "a cursor made before a rotation finds its place afterwards, in a rotated file and in the log",
  async () => {
    const text = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, at) => `n${from + at} ${"y".repeat((from + at) % 90)}\n`).join("");
    const path = await quietApp(own, "paged", text(0, 4000));
    const read = (query: object) => ports.logs.read({ apps: ["paged"], ...query });
    const numbers = (lines: readonly { readonly text: string }[]): number[] =>
      lines.map((line) => Number(line.text.slice(1).split(" ")[0]));
    const newest = await read({ limit: 10 });
    const deep = await read({ limit: 3000 });
    await care.rotate(await surveyed(path), HOW);
    writeFileSync(path, text(4000, 4005), { flag: "a" });
    expect(numbers((await read({ limit: 2, before: newest.older! })).lines)).toEqual([3988, 3989]);
    expect(numbers((await read({ limit: 2, before: deep.older! })).lines)).toEqual([998, 999]);
    expect(numbers((await read({ limit: 100, after: newest.newer! })).lines)).toEqual([4000, 4001, 4002, 4003, 4004]);
  },
);

longTest.runIf(isAble)("PM2's own log is cut while the daemon writes it, and svcm knows its growth", async () => {
  const path = join(own.home, "pm2.log");
  const filler = Array.from({ length: 3000 }, (_, at) => `2026-11-27T08:00:00: PM2 log: filler ${at}\n`).join("");
  writeFileSync(path, filler, { flag: "a" });
  const before = linesIn(path);
  const { files } = await care.rotate(await surveyed(path), HOW);
  expect(files.length).toBeGreaterThan(0);
  await own.run({ name: "after-the-cut" });
  const after = linesIn(path);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).join("\n")).toContain("after-the-cut");
});

longTest("a running server rotates what svcm.yaml declares, and leaves a record", async () => {
  writeFileSync(
    join(own.folder, "svcm.yaml"),
    "version: 1\nenvironments: { dev: [] }\nlogs: { maxSize: 100K, keep: 2, compress: false }\n",
  );
  const path = await quietApp(own, "kept", "a line\n".repeat(60_000));
  const stop = new AbortController();
  const answers: LogRotationResponse[] = [];
  const done = (answer: LogRotationResponse): void => {
    answers.push(answer);
    stop.abort();
  };
  const failed = (error: unknown): void => {
    stop.abort();
    throw error;
  };
  const ownPorts = own.ports();
  await keepLogs(ownPorts, serverCaller(), { done, failed }, stop.signal);
  const rotated = answers[0]!.logs.find((log) => log.path === path)!;
  expect(rotated).toMatchObject({ outcome: "rotated", way, reason: isAble ? null : { code: "ROTATE_MAY_LOSE" } });
  expect(statSync(path).size).toBeLessThan(100 * KIB);
  expect(readdirSync(own.folder).filter((name) => name.startsWith("kept-out.log."))).toHaveLength(2);
  const { records } = await ownPorts.audit.newest({ limit: 1 });
  expect(records).toMatchObject([{ action: "logs.rotate", source: "serve", outcome: "succeeded" }]);
  expect(ownPorts.logCare.last()?.logs.map((log) => log.path)).toContain(path);
});

longTest.runIf(canMount)("after a full disk, PM2 is found dead, and prune lets it write again", async () => {
  const disk = join(own.folder, "small");
  mountUntil(onTestFinished, disk, "-t", "tmpfs", "-o", "size=2m", "tmpfs");
  const path = join(disk, "full.log");
  const code = 'let n = 0; setInterval(() => console.log("n" + (n += 1) + " " + "x".repeat(1000)), 1);';
  await own.run({ name: "full", out_file: path, merge_logs: true, code });
  const survey = async () => await care.look();
  for (;;) if ((await survey()).fullDiskMs !== null) break;
  const { size } = statSync(path);
  writeFileSync(path, "");
  const { logsPrune } = await import("../../src/core/index.ts");
  const answer = await logsPrune.run(ports, { apply: true }, serverCaller());
  expect(answer.reopened).toBe(true);
  while (statSync(path).size === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(size).toBeGreaterThan(1_000_000);
  expect((await survey()).fullDiskMs).toBeNull();
  await remove("full");
});

test("a log that a program holds without append, and one that logrotate rotates, are refused by name", async () => {
  const path = await quietApp(own, "held", "x\n".repeat(100 * KIB));
  const { logsRotate, commandLineCaller } = await import("../../src/core/index.ts");
  const rotate = () => logsRotate.run(ports, { dryRun: true, maxSize: "100K" }, commandLineCaller());
  const reasonOf = async () => (await rotate()).logs.find((log) => log.path === path)?.reason;
  expect((await reasonOf())?.code).not.toBe("LOG_HELD_WITHOUT_APPEND");
  const child = execFile("sh", ["-c", `exec sleep 1000 1<> ${path}`]);
  try {
    for (;;) if ((await surveyed(path)).writers.length > 0) break;
    expect(await reasonOf()).toMatchObject({
      code: "LOG_HELD_WITHOUT_APPEND",
      details: `sleep (pid ${child.pid}) has held-out.log open for writing without append, so cutting ${path} would leave a hole.`,
    });
  } finally {
    child.kill("SIGKILL");
  }
});
