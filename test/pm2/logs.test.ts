import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { execute, logsRead, type Caller, type LogQuery } from "../../src/core/index.ts";
import { watchedLogs } from "../support/logs.ts";
import { quietApp } from "../support/quiet-app.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const CANARY = "canary-Zk4+8fd/03b27aa";
const caller: Caller = { source: "cli", grants: ["logs"] };

const { own, ports } = runningPm2();

const read = (query: LogQuery) => execute(logsRead, ports, query, caller);
const textsOf = async (query: LogQuery) => (await read(query)).lines.map(({ text }) => text);
const command = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });

const quiet = (name: string, out: string | Buffer) => quietApp(own, name, out);
const watched = (filter: object) => watchedLogs(ports, filter);

const second = (at: number): string => new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString();
const stamped = (from: number, to: number, step = 1): string =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
    .map((at) => `${second(at)} tick ${at}\n`)
    .join("");

test("lines of several apps and both streams are merged by time", async () => {
  await quiet("merge-a", `${second(1)} one\n  at one\n${second(5)} five\n`);
  await quiet("merge-b", `{"level":50,"time":${Date.parse(second(3))},"msg":"three","id":7}\n`);
  appendFileSync(join(own.folder, "merge-b-error.log"), `${second(4)} four\n`);
  const { lines, problems } = await read({ apps: ["merge-a", "merge-b"] });
  expect(problems).toEqual([]);
  expect(lines.map(({ at, app, stream, level, text }) => [at, app, stream, level, text])).toEqual([
    [second(1), "merge-a", "out", null, "one"],
    [second(1), "merge-a", "out", null, "  at one"],
    [second(3), "merge-b", "out", "error", "three"],
    [second(4), "merge-b", "err", null, "four"],
    [second(5), "merge-a", "out", null, "five"],
  ]);
  expect(lines[2]).toMatchObject({ fields: { id: "7" }, file: "merge-b-out.log", offset: 0 });
  expect(await textsOf({ apps: ["merge-a", "merge-b"], level: "warn" })).toEqual(["three", "four"]);
  expect(await textsOf({ app: "merge-b", stream: "err" })).toEqual(["four"]);
});

test("a command reads in its thread what a server reads in a worker, and each continues at the cursor of the other", async () => {
  await quiet("places", stamped(0, 29));
  const ask = { app: "places", limit: 10 };
  const [thread, worker] = [await read(ask), await ports.logs.read(ask)];
  expect(thread).toEqual(worker);
  const before = thread.older ?? "";
  expect(await ports.logs.read({ ...ask, before })).toEqual(await read({ ...ask, before: worker.older ?? "" }));
  await expect(read({ ...ask, before: `x${before}` })).rejects.toMatchObject({ body: { code: "LOG_CURSOR_STALE" } });
});

test("rotated and compressed files are read, the newest lines first", async () => {
  const path = await quiet("rotated", stamped(30, 39));
  const older = {
    [`${path}.1.gz`]: gzipSync(stamped(0, 9)),
    [path.replace(".log", "__2026-01-01_00-00-20.log")]: stamped(10, 19),
    [`${path}-20260101`]: stamped(20, 29),
  };
  Object.entries(older).forEach(([file, content], index) => {
    writeFileSync(file, content);
    utimesSync(file, 1_767_225_600 + 10 * index + 9, 1_767_225_600 + 10 * index + 9);
  });
  const texts = await textsOf({ app: "rotated", limit: 1000 });
  expect(texts).toEqual(Array.from({ length: 40 }, (_, at) => `tick ${at}`));
  expect(await textsOf({ app: "rotated", since: Date.parse(second(12)), until: Date.parse(second(14)) })).toEqual([
    "tick 12",
    "tick 13",
    "tick 14",
  ]);
});

test("the pages of a cursor contain the complete log, and a modified cursor is refused", async () => {
  const path = await quiet("paged", stamped(20, 59));
  writeFileSync(`${path}.1`, stamped(0, 19));
  const texts: string[] = [];
  let before: string | undefined;
  do {
    const page = await read({ app: "paged", limit: 7, before });
    texts.unshift(...page.lines.map(({ text }) => text));
    before = page.older ?? undefined;
  } while (before !== undefined);
  expect(texts).toEqual(Array.from({ length: 60 }, (_, at) => `tick ${at}`));
  const { newer, older } = await read({ app: "paged", limit: 7 });
  appendFileSync(path, stamped(60, 61));
  expect(await textsOf({ app: "paged", after: newer! })).toEqual(["tick 60", "tick 61"]);
  const [signature] = newer!.split("_");
  const forged = older!.replace(/^[^_]+/, signature!);
  expect(forged).not.toBe(older);
  await expect(read({ app: "paged", before: forged })).rejects.toMatchObject({
    body: { code: "LOG_CURSOR_STALE" },
  });
  truncateSync(path, 0);
  await expect(read({ app: "paged", before: older! })).rejects.toMatchObject({ body: { code: "LOG_CURSOR_STALE" } });
});

longTest(
  "a search finds text and patterns, with the lines around a match, also across the blocks in which a file is read",
  async () => {
    const long = Array.from({ length: 40_000 }, (_, at) => `${second(at)} line ${at} ${"x".repeat(60)}\n`).join("");
    await quiet("searched", long);
    const found = async (query: LogQuery) =>
      (await textsOf({ app: "searched", ...query })).map((text) => Number(text.split(" ")[1]));
    expect(await found({ grep: "line 12345 " })).toEqual([12_345]);
    expect(await found({ grep: "LINE 12345 " })).toEqual([]);
    expect(await found({ grep: "LINE 12345 ", ignoreCase: true })).toEqual([12_345]);
    expect(await found({ regexp: "line (7|39999) " })).toEqual([7, 39_999]);
    expect(await found({ grep: "00 x", context: 1, limit: 7 })).toEqual(
      [39_700, 39_701, 39_799, 39_800, 39_801, 39_899, 39_900, 39_901].slice(1),
    );
    const all = await found({ regexp: "line \\d*50 ", context: 2, limit: 100_000 });
    expect(all).toEqual(
      Array.from({ length: 400 }, (_, index) => index * 100 + 50).flatMap((at) => [at - 2, at - 1, at, at + 1, at + 2]),
    );
  },
);

longTest("a pattern that takes too long is stopped, and the next search works", async () => {
  await quiet("slow", `${"a".repeat(60)}!\n`);
  await expect(read({ app: "slow", regexp: "^(a+)+$" })).rejects.toMatchObject({ body: { code: "LOG_PATTERN_SLOW" } });
  expect(await textsOf({ app: "slow", grep: "!" })).toHaveLength(1);
  await expect(read({ app: "slow", regexp: "(" })).rejects.toMatchObject({ body: { code: "LOG_PATTERN_INVALID" } });
});

test("links, pipes and files outside the app's folder are not read", async () => {
  await quiet("safe", "fine\n");
  await own.run({ name: "linked", merge_logs: true, out_file: join(own.folder, "later.log"), error_file: "/dev/null" });
  renameSync(join(own.folder, "later.log"), join(own.folder, "moved.log"));
  symlinkSync("/etc/hostname", join(own.folder, "later.log"));
  const inner = join(own.folder, "inner");
  mkdirSync(inner);
  const outside = join(own.folder, "outside.log");
  await own.run({
    name: "outside",
    merge_logs: true,
    cwd: inner,
    script: join(own.home, "app-1.cjs"),
    out_file: outside,
    error_file: "/dev/null",
  });
  const { lines, problems } = await read({ apps: ["safe", "linked", "outside"] });
  expect(lines.map(({ text }) => text)).toEqual(["fine"]);
  expect(problems.map(({ app, code }) => [app, code])).toEqual([
    ["linked", "ENOTREG"],
    ["outside", "EOUTSIDE"],
    ["linked", "LOG_DISCARDED"],
    ["outside", "LOG_DISCARDED"],
  ]);
  const { code, stdout, stderr } = await command("logs", "linked");
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("is not a regular file");
});

longTest(
  "secrets of a process do not appear in any form: plain, in JSON, on standard error, across two chunks",
  async () => {
    const code = `
    const secret = process.env.MY_TOKEN;
    const half = "begin " + secret;
    console.log(JSON.stringify({ level: 30, time: Date.now(), msg: "connect " + secret, nested: { deep: [secret] } }));
    console.error("stderr " + secret + " " + encodeURIComponent(secret));
    process.stdout.write(half.slice(0, 14));
    setTimeout(() => process.stdout.write(half.slice(14) + " whole\\nready\\n"), 50);
    setInterval(() => {}, 1e6);`;
    const live = watched({});
    await live.begun();
    await own.run({ name: "canary", code, env: { MY_TOKEN: CANARY } });
    // PM2 writes each stream separately.
    await live.until(() => ["ready", "stderr"].every((word) => live.lines.some((line) => line.startsWith(word))));
    const texts = JSON.stringify([await read({ app: "canary" }), live.batches]);
    expect(texts).toContain("connect [REDACTED]");
    expect(texts).toContain("stderr [REDACTED] [REDACTED]");
    expect(texts).toContain("begin [REDACTED] whole");
    const { stdout, stderr } = await command("logs", "canary");
    expect(stdout).toContain("connect [REDACTED]");
    for (const bytes of [texts, stdout, stderr, (await command("logs", "canary", "--json")).stdout])
      for (const part of [CANARY, encodeURIComponent(CANARY), CANARY.slice(0, 10), CANARY.slice(-8)])
        expect(bytes).not.toContain(part);
    expect((await read({ app: "canary", grep: CANARY.slice(0, 12) })).lines).toEqual([]);
  },
);

test("hostile bytes do not reach the terminal", async () => {
  const bytes = Buffer.concat([
    Buffer.from("\u001B[31mred\u001B[0m \u001B]0;owned\u0007 \u009B2J \r overwritten \b\b\u202Eback\n"),
    Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a]),
    Buffer.from(`${"y".repeat(2 ** 20)}\nlast\n`),
  ]);
  await quiet("hostile", bytes);
  const { stdout } = await command("logs", "hostile");
  expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202A-\u202E]/u);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[0]).toContain("red");
  expect(lines[2]?.length).toBeLessThan(70_000);
  expect(lines[2]).toContain("bytes more)");
  expect(lines[3]).toContain("last");
});

test("a name that PM2 does not know is refused, also by a watch", async () => {
  await expect(read({ app: "nothing" })).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
  await expect(watched({ app: "nothing" }).ended).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
});

longTest("svcm logs shows, searches and follows", async () => {
  await quiet("shown", `${second(1)} first\n{"level":40,"time":${Date.parse(second(2))},"msg":"second","a":"b c"}\n`);
  const { pmId } = (await ports.processes.list()).find(({ name }) => name === "shown")!;
  const { code, stdout } = await command("logs", "shown");
  expect([code, stdout]).toEqual([
    0,
    `2026-01-01 00:00:01Z  shown (${pmId})  first\n2026-01-01 00:00:02Z  shown (${pmId})  warn  second a=b c\n`,
  ]);
  expect(await command("logs", "shown", "--grep", "third")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "No line matches.\n",
  });
  const json = await command("logs", "shown", "--json", "-n", "1");
  expect(JSON.parse(json.stdout)).toMatchObject({
    lines: [{ app: "shown", level: "warn", text: "second" }],
    truncated: false,
  });
  expect((await command("logs", "shown", "-f", "--until", "1h")).code).toBe(2);
});
