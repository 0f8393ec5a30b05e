import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { execute, logsRead, type Caller, type LogQuery } from "../../src/core/index.ts";
import { quietApp } from "../support/quiet-app.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const caller: Caller = { source: "cli", grants: ["logs"] };
const { own, ports } = runningPm2();
const read = (query: LogQuery) => execute(logsRead, ports, query, caller);
const textsOf = async (query: LogQuery) => (await read(query)).lines.map(({ text }) => text);
const command = (...args: string[]) => svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
const codesOf = async (query: LogQuery) => (await read(query)).problems.map(({ code, stream }) => [code, stream]);

longTest("the logs of an app that PM2 no longer lists are shown, and svcm says so", async () => {
  await own.run({ name: "my gone_app", code: "console.log('last words'); setInterval(() => {}, 1e6)" });
  await expect.poll(() => textsOf({ app: "my gone_app" })).toEqual(["last words"]);
  const gone = (await ports.processes.list()).find(({ name }) => name === "my gone_app");
  await ports.processes.remove(gone!);
  await own.run({ name: "my gone", code: "setInterval(() => {}, 1e6)" });
  const { code, stdout, stderr } = await command("logs", "my gone_app");
  expect([code, stdout]).toEqual([0, expect.stringContaining("last words")]);
  expect(stderr).toContain("PM2 no longer lists my gone_app");
  expect(await textsOf({ app: "my gone_app", grep: "last" })).toEqual(["last words"]);
  expect(await textsOf({ app: "my gone" })).toEqual([]);
  // PM2 would give its files the names of those of an app that it lists.
  for (const app of ["my-gone", "never-there"])
    await expect(read({ app })).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
});

test("output to /dev/null is reported for an app that is named, and for one that is silent", async () => {
  await own.run({ name: "quiet", merge_logs: true, out_file: "/dev/null", error_file: "/dev/null" });
  await quietApp(own, "half", "", { error_file: "/dev/null" });
  expect(await codesOf({ app: "quiet" })).toEqual([
    ["LOG_DISCARDED", "out"],
    ["LOG_DISCARDED", "err"],
  ]);
  expect(await codesOf({ app: "half" })).toEqual([["LOG_DISCARDED", "err"]]);
  expect(await codesOf({ app: "half", stream: "out" })).toEqual([]);
  expect((await read({})).problems.filter(({ app }) => app === "half")).toEqual([]);
  const { code, stderr } = await command("logs", "quiet");
  expect([code, stderr]).toEqual([0, expect.stringContaining("out_file is /dev/null")]);
  await own.run({ name: "disabled", disable_logs: true });
  const { problems } = await read({ app: "disabled" });
  expect(problems.map(({ details }) => details)).toEqual([
    "PM2 keeps no output of disabled: it has disable_logs.",
    "PM2 keeps no errors of disabled: it has disable_logs.",
  ]);
});

test.runIf(process.platform === "linux")("a log file that was deleted while PM2 writes to it is reported", async () => {
  const path = await quietApp(own, "removed", "");
  expect(await codesOf({ app: "removed" })).toEqual([]);
  rmSync(path);
  expect(await codesOf({ app: "removed" })).toEqual([["LOG_FILE_DELETED", "out"]]);
});

test("rotated files with the same time are read in the order of their lines", async () => {
  const hour = (at: number): string => `2026-01-01T${String(at).padStart(2, "0")}:00:00.000Z hour ${at}\n`;
  const path = await quietApp(own, "restored", hour(20));
  const older = {
    [`${path}.1`]: hour(18),
    [`${path}.2.gz`]: gzipSync(hour(16)),
    [`${path}.10`]: hour(15),
    [`${path}-20260101`]: hour(17),
    [path.replace(".log", "__2026-01-01_19-00-00.log")]: hour(19),
  };
  for (const [file, content] of Object.entries(older)) {
    writeFileSync(file, content);
    utimesSync(file, 1_800_000_000, 1_800_000_000);
  }
  expect(await textsOf({ app: "restored" })).toEqual([15, 16, 17, 18, 19, 20].map((at) => `hour ${at}`));
  const range = { since: Date.parse("2026-01-01T16:30:00Z"), until: Date.parse("2026-01-01T18:30:00Z") };
  expect(await textsOf({ app: "restored", ...range })).toEqual(["hour 17", "hour 18"]);
});

longTest("the command finds what it shows, and -n 0 shows nothing", async () => {
  const pino = '{"level":30,"time":1764115200000,"msg":"user bob said \\"hi\\" in the bar","reqId":"a1"}';
  const coloured = "\u001B[32minfo\u001B[39m: user \u001B[1mbob\u001B[22m logged in";
  await quietApp(own, "searched", `${pino}\n${coloured}\nother\n`);
  for (const flags of [
    ["--grep", 'said "hi"'],
    ["--regexp", "said .hi. in the bar reqId=a1$"],
    ["--grep", "user bob logged"],
    ["--regexp", "^info: user bob l"],
    ["-i", "--grep", "BOB LOGGED"],
  ]) {
    const { code, stdout } = await command("logs", "searched", ...flags);
    expect([flags, code, stdout.trimEnd().split("\n")]).toEqual([flags, 0, [expect.stringContaining("user bob")]]);
  }
  expect(await command("logs", "searched", "-n", "0")).toMatchObject({ code: 0, stdout: "" });
});

longTest("the hour that occurs twice is read in the order of the lines", async () => {
  const lines = ["01:50", "02:10", "02:50", "02:05", "02:55", "03:10"].map(
    (at, index) => `2026-10-25 ${at}:00 line ${index}`,
  );
  const path = join(own.folder, "autumn-out.log");
  await quietApp(own, "autumn", `${lines.join("\n")}\n`);
  utimesSync(path, new Date("2026-10-25T02:10:00Z"), new Date("2026-10-25T02:10:00Z"));
  const { stdout } = await svcm(["logs", "autumn", "--json"], {
    root: own.folder,
    env: { PM2_HOME: own.home, TZ: "Europe/Berlin" },
  });
  const shown = (JSON.parse(stdout) as { lines: { at: string }[] }).lines.map(({ at }) => at.slice(11, 16));
  expect(shown).toEqual(["23:50", "00:10", "00:50", "01:05", "01:55", "02:10"]);
});
