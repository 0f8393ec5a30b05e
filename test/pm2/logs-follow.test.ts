import { execFile } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, truncateSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { watchedLogs } from "../support/logs.ts";
import { quietApp } from "../support/quiet-app.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const run = promisify(execFile);

const { own, ports } = runningPm2();

const pm2Command = (...args: string[]) =>
  run(process.execPath, [CLI, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: own.folder, PM2_HOME: own.home, PM2_DISABLE_VERSION_CHECK: "1" },
  });
const quiet = (name: string, out: string) => quietApp(own, name, out);
const watched = (...given: Tail<Parameters<typeof watchedLogs>>) => watchedLogs(ports, ...given);
type Tail<List> = List extends readonly [unknown, ...infer Rest] ? Rest : never;

longTest(
  "a watch begins with the last lines and loses none: flush, rename, copy, and a process that starts later",
  async () => {
    const path = await quiet("followed", "old 1\nold 2\n");
    const observed = watched({ app: "followed" }, { tail: 1 });
    await observed.begun();
    expect(observed.lines).toEqual(["old 2"]);
    const add = async (text: string, file = path): Promise<void> => {
      appendFileSync(file, `${text}\n`);
      await observed.until(() => observed.lines.includes(text));
    };
    await add("new 1");
    await pm2Command("flush", "followed");
    await add("after the flush");
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, "written while it was moved\n");
    await pm2Command("reloadLogs");
    await add("after the move");
    await run("cp", [path, `${path}.2`]);
    truncateSync(path, 0);
    await add("after the copy");
    expect(observed.lines).toEqual([
      "old 2",
      "new 1",
      "after the flush",
      "written while it was moved",
      "after the move",
      "after the copy",
    ]);
  },
);

test("a watch of all processes has the lines of a process that starts later", async () => {
  const observed = watched({ grep: "newcomer" });
  await observed.begun();
  await own.run({ name: "newcomer", code: "console.log('newcomer is here'); setInterval(() => {}, 1e6);" });
  await observed.until(() => observed.lines.length > 0);
  expect(observed.lines).toEqual(["newcomer is here"]);
});

test("a hundred watches of the same logs receive the same batches", async () => {
  const path = await quiet("shared", "");
  const all = Array.from({ length: 100 }, () => watched({ app: "shared" }, { isLossless: false }));
  await Promise.all(all.map(({ begun: started }) => started()));
  appendFileSync(path, "for all\n");
  await Promise.all(all.map(({ lines, until }) => until(() => lines.length > 0)));
  expect(new Set(all.map(({ batches }) => batches[1]!.lines)).size).toBe(1);
});

test("a watcher that falls behind receives the newest 500 lines, and the number of skipped lines", async () => {
  const path = await quiet("loud", "");
  const observed = watched({ app: "loud" }, { isLossless: false });
  await observed.begun();
  appendFileSync(path, Array.from({ length: 2000 }, (_, at) => `n${at}\n`).join(""));
  await observed.until(() => observed.lines.includes("n1999"));
  const counts = observed.batches.map(({ lines, skipped }) => lines.length + skipped);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2000);
  expect(Math.max(...observed.batches.map(({ lines }) => lines.length))).toBe(500);
});

longTest("under load, no line is lost or duplicated while the log is renamed", async () => {
  const code = `
    let n = 0;
    setInterval(() => {
      for (let i = 0; i < 5; i += 1) console.log("n" + (n += 1));
    }, 5);`;
  const all = watched({ grep: "n" });
  await all.begun();
  const out = `${own.folder}/load.log`;
  await own.run({ name: "load", merge_logs: true, out_file: out, code });
  const more = async (): Promise<void> => {
    const enough = all.lines.length + 200;
    await all.until(() => all.lines.length > enough);
  };
  for (const turn of [1, 2, 3]) {
    await more();
    renameSync(out, `${out}.${turn}`);
    await pm2Command("reloadLogs");
  }
  await more();
  const { processes } = ports;
  await processes.stop((await processes.list()).find(({ name }) => name === "load")!);
  // PM2 itself drops pending lines when it reopens a log, so the files show what was written.
  const written = (): string[] => {
    const files = ["", ".1", ".2", ".3"].map((ending) => readFileSync(out + ending, "utf8"));
    return files.flatMap((text) => text.split("\n").filter(Boolean));
  };
  const followed = (): string[] => all.lines.filter((line) => /^n\d+$/.test(line));
  let wanted: string[] = [];
  await all.until(() => followed().length >= (wanted = written()).length);
  expect(followed().toSorted()).toEqual(wanted.toSorted());
});
