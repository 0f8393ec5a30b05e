import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitForFile } from "../support/appeared.ts";
import { RUN } from "../support/command-line.ts";
import { isLinux } from "../support/machine.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm as runSvcm, svcmProgram, type RunOptions, type RunResult } from "../support/svcm.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const CANARY = "canary-9d1f";
const canHaveTerminal = isLinux && spawnSync("script", ["--version"]).status === 0;
let own: Pm2;
let file: (name: string) => string;
let place: RunOptions;

/** Writes its environment to a file, then idles. */
const RECORDER = (out: string): string => `
const { renameSync, writeFileSync } = require("node:fs");
const out = ${JSON.stringify(out)};
writeFileSync(out + ".new", JSON.stringify({ env: process.env, argv: process.argv.slice(2) }));
renameSync(out + ".new", out);
${IDLE}`;

beforeAll(() => {
  own = pm2();
  file = (name) => join(own.folder, name);
  place = {
    root: own.folder,
    env: {
      PM2_HOME: own.home,
      SVC_SERVICE_MANAGEMENT_CONFIG_DIR: own.folder,
      SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: `${CANARY}-token`,
      AWS_SECRET_ACCESS_KEY: `${CANARY}-aws`,
    },
  };
  writeFileSync(file("deployments.yaml"), "");
  writeFileSync(file("app.cjs"), RECORDER(file("seen.json")));
  writeFileSync(file("idle.cjs"), "setInterval(() => {}, 1e6);");
  writeFileSync(file("ends.cjs"), "process.exit(3);");
  writeFileSync(file(".env.dev"), "SVC_HTTP_FRAMEWORK=express\n");
  declare({ DB_PASSWORD: `${CANARY}-value`, SVC_HTTP_PORT: "3001" });
});
afterAll(() => own.end());

function declare(env: object): void {
  own.pm2Folder([
    {
      name: "restapi",
      script: "./app.cjs",
      args: ["--password", `${CANARY}-argument`],
      node_args: [`--env-file=${file(".env.dev")}`],
      env,
    },
    { name: "grpcapi", script: "./idle.cjs", namespace: "realtime" },
    { name: "websocketapi", script: "./idle.cjs", namespace: "realtime" },
    { name: "ends", script: "./ends.cjs", autorestart: false, env: { SECRET: `${CANARY}-of-what-ends` } },
    { name: "missing", script: "./not-there.cjs", env: { SECRET: `${CANARY}-of-what-is-missing` } },
  ]);
}

/** No output may contain a value of an environment or an argument. */
async function svcm(...args: string[]): Promise<RunResult> {
  const ran = await runSvcm(args, place);
  expect(ran.stdout + ran.stderr).not.toContain(CANARY);
  return ran;
}

/** Resolves with what the app recorded, and deletes the record. */
async function seen(): Promise<{ env: Record<string, string>; argv: string[] }> {
  await waitForFile(file("seen.json"));
  const text = readFileSync(file("seen.json"), "utf8");
  rmSync(file("seen.json"));
  return JSON.parse(text) as { env: Record<string, string>; argv: string[] };
}

test("without a daemon, reads and stops fail and do not start a daemon", async () => {
  for (const args of [["list"], ["stop", "restapi"], ["restart", "restapi"], ["start", "restapi"]]) {
    const { code, stderr } = await svcm("process", ...args);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("No PM2 daemon runs") as string });
  }
  expect(await svcm("__complete", "bash", "=:", "svcm stop ")).toMatchObject({ code: 0, stdout: "none\n" });
  const { stdout } = await svcm("process", "list", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ error: "PM2 operation failed.", code: "PM2_NOT_RUNNING" });
  expect(own.pids()).toEqual([]);
});

test("concurrent starts result in one daemon and one process of each app", async () => {
  // Separate programs: in one process, they would run one after the other.
  const names = [
    ["restapi", "grpcapi"],
    ["restapi", "websocketapi"],
  ];
  const ran = await Promise.all(
    names.map((some) => svcmProgram(["process", "start", ...some, "--ecosystem", "--json"], place)),
  );
  expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual(names.map(() => ({ code: 0, stderr: "" })));
  expect(JSON.stringify(ran)).not.toContain(CANARY);
  const answers = ran.map(({ stdout }) => JSON.parse(stdout) as { affected: unknown[]; skipped: { reason: string }[] });
  expect(answers.flatMap(({ affected }) => affected)).toHaveLength(3);
  expect(answers.flatMap(({ skipped }) => skipped)).toMatchObject([{ reason: "ALREADY_RUNNING" }]);
  expect(own.pids()).toHaveLength(1 + 3);
});

test("completion offers PM2's names, numbers and namespaces", async () => {
  const offers = async (line: string) => (await svcm("__complete", "bash", "=:", `svcm process ${line}`)).stdout;
  expect(await offers("stop re")).toBe("none\nrestapi\n");
  expect(await offers("stop --namespace re")).toBe("none\nrealtime\n");
  expect((await offers("stop --id ")).split("\n")).toHaveLength(1 + 3 + 1);
});

test("a started app receives its declared variables and a clean environment, and no variable of svcm", async () => {
  const { env, argv } = await seen();
  expect(argv).toEqual(["--password", `${CANARY}-argument`]);
  expect(env).toMatchObject({ DB_PASSWORD: `${CANARY}-value`, SVC_HTTP_PORT: "3001", PATH: process.env["PATH"] });
  expect(JSON.stringify(env)).not.toMatch(new RegExp(`${CANARY}-(?:token|aws)`));
  expect(Object.keys(env).filter((key) => /^SVC_SERVICE|^AWS|PROGRAMMATIC|VERSION_CHECK/.test(key))).toEqual([]);
});

test("process list prints a table, and a JSON document with --json", async () => {
  const table = (await svcm("process", "list")).stdout.split("\n");
  expect(table[0]).toBe("3 processes of PM2: 3 online.");
  expect(table[1]).toMatch(/^NAME\s+ID\s+STATUS\s+CPU\s+MEMORY\s+UPTIME\s+RESTARTS\s+MODE\s+PID\s+NAMESPACE$/);
  expect(table[2]).toMatch(/^grpcapi\s+\d\s+online\s+[\d.]+ %\s+[\d.]+ MiB\s+\d+[ms].*\s+0\s+fork\s+\d+\s+realtime$/);
  const { stdout } = await svcm("process", "list", "--json");
  const { processes } = JSON.parse(stdout) as { processes: object[] };
  expect(processes).toHaveLength(3);
  expect(processes[1]).toMatchObject({
    name: "restapi",
    status: "online",
    httpPort: 3001,
    uptimeMs: expect.any(Number) as number,
  });
  expect(Object.keys(processes[1]!)).not.toContain("declaration");
});

test("process list has a format with names only, and a wide format with scripts", async () => {
  expect((await svcm("process", "list", "-o", "name")).stdout).toBe("grpcapi\nrestapi\nwebsocketapi\n");
  expect((await svcm("process", "list", "-o", "wide")).stdout).toMatch(/SCRIPT\n.*\/idle\.cjs\n/);
});

test("a number or `all` is read as a name, and the refusal shows the flag that a PM2 user means", async () => {
  const number = await svcm("process", "stop", "0");
  expect(number).toMatchObject({ code: 3, stderr: expect.stringContaining("svcm stop --id 0") as string });
  const all = await svcm("process", "restart", "all");
  expect(all).toMatchObject({ code: 3, stderr: expect.stringContaining("--namespace <name>") as string });
});

test("a restart takes several names and numbers", async () => {
  const { code, stdout } = await svcm("process", "restart", "restapi", "grpcapi");
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\d+/g, "n").split("\n").toSorted()).toEqual([
    "",
    "Restarted grpcapi (id n, pid n).",
    "Restarted restapi (id n, pid n).",
  ]);
});

test("a changed env file takes effect after a restart", async () => {
  expect((await seen()).env["SVC_HTTP_FRAMEWORK"]).toBe("express");
  expect(await svcm("env", "set", "SVC_HTTP_FRAMEWORK=fastify")).toMatchObject({ code: 0 });
  expect(await svcm("process", "restart", "restapi")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Restarted restapi \(id \d, pid \d+\)\.\n$/) as string,
  });
  expect((await seen()).env["SVC_HTTP_FRAMEWORK"]).toBe("fastify");
});

test("an apply for an environment without an ecosystem file exits 1", async () => {
  const missing = await svcm("apply", "--environment", "ci", "--yes");
  expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining("ci") as string });
});

longTest("a restart with the ecosystem file applies its present declaration", async () => {
  declare({ DB_PASSWORD: `${CANARY}-changed`, SVC_HTTP_PORT: 3002 });
  await svcm("process", "restart", "restapi");
  expect((await seen()).env["DB_PASSWORD"]).toBe(`${CANARY}-value`);
  expect(await svcm("process", "restart", "restapi", "--ecosystem")).toMatchObject({ code: 0 });
  expect((await seen()).env).toMatchObject({ DB_PASSWORD: `${CANARY}-changed`, SVC_HTTP_PORT: "3002" });
});

test("a start fails, without showing a value, if the app ends immediately or its script is missing", async () => {
  const ends = await svcm("process", "start", "ends", "--ecosystem", "--json");
  expect({ code: ends.code, ...(JSON.parse(ends.stdout) as object) }).toMatchObject({
    error: "Process action failed.",
    details: expect.stringContaining("exit code 3") as string,
  });
  const missing = await svcm("process", "start", "missing", "--ecosystem");
  expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining("not-there.cjs") as string });
  expect((await svcm("process", "start", "mising", "--ecosystem")).stderr).toContain('Did you mean "missing"?');
  expect((await svcm("process", "start", "restapi", "--ecosystem", "-e", "ci")).stderr).toContain("no ecosystem file");
});

test.skipIf(!canHaveTerminal)(
  "at a terminal, svcm asks before it stops a namespace, and stops it only after a yes",
  async () => {
    const env = { PATH: process.env["PATH"], PM2_HOME: own.home, HOME: own.folder, TERM: "dumb", SHELL: "/bin/sh" };
    const confirm = (input: string, ...more: string[]): { status: number | null; screen: string } => {
      const command = [process.execPath, RUN, "process", "stop", "--namespace", "realtime", ...more].join(" ");
      const options = { cwd: own.folder, env, input, encoding: "utf8" } as const;
      const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], options);
      return { status, screen: stdout };
    };
    for (const no of firstOrAll(["\n", "n\n", "\u0004"])) {
      const { status, screen } = confirm(no);
      expect(screen).toMatch(
        /Stop all 2 processes of the namespace realtime: grpcapi \(id \d\), websocketapi \(id \d\)\?/,
      );
      expect({ status, end: screen.trim().split("\n").at(-1) }).toEqual({ status: 1, end: "Nothing was stopped." });
    }
    expect((await svcm("process", "list")).stdout).toMatch(/^\d processes of PM2: .*3 online\b/);
    expect(confirm("y\n").screen).toContain("Stopped grpcapi");
    expect(confirm("", "--yes").screen).toMatch(/grpcapi \(id \d\) is not running\./);
    await svcm("process", "start", "--namespace", "realtime");
  },
);

test("without a terminal, a namespace is stopped only with --yes", async () => {
  expect(await svcm("process", "stop", "--namespace", "realtime")).toMatchObject({ code: 2, stdout: "" });
  const { code, stdout } = await svcm("process", "stop", "--namespace", "realtime", "--yes");
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\d+/g, "n").split("\n").toSorted()).toEqual([
    "",
    "Stopped grpcapi (id n).",
    "Stopped websocketapi (id n).",
  ]);
  expect((await svcm("process", "stop", "grpcapi")).stdout).toMatch(/^grpcapi \(id \d\) is not running\.\n$/);
});

longTest.skipIf(!canHaveTerminal)(
  "at a terminal, a line on standard error is shown while svcm waits, and then removed",
  async () => {
    const env = { PATH: process.env["PATH"], PM2_HOME: own.home, HOME: own.folder, SHELL: "/bin/sh", NO_COLOR: "1" };
    const waiting = (argv: string, TERM: string): { status: number | null; shown: string } => {
      const command = `${process.execPath} ${RUN} process ${argv} 2>&1 >${file("answer.txt")}`;
      const options = { cwd: own.folder, env: { ...env, TERM }, encoding: "utf8" } as const;
      const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], options);
      return { status, shown: stdout };
    };
    for (const [action, doing, state] of [
      ["restart", "Restarting", "online"],
      ["stop", "Stopping", "stopped"],
      ["start", "Starting", "online"],
    ] as const) {
      const line = `${doing} grpcapi: waiting until PM2 lists it as ${state} …`;
      expect(waiting(`${action} grpcapi`, "xterm")).toEqual({ status: 0, shown: `${line}\r\u001B[K` });
      expect(readFileSync(file("answer.txt"), "utf8")).toMatch(/ grpcapi \(id \d/);
    }
    expect(waiting("restart grpcapi", "dumb")).toEqual({ status: 0, shown: "" });
    expect(waiting("restart grpcapi --json", "xterm")).toEqual({ status: 0, shown: "" });
    expect(await svcm("process", "restart", "grpcapi")).toMatchObject({ code: 0 });
    await svcm("process", "stop", "grpcapi");
  },
);

test("wrong usage shows the accepted combination of flags", async () => {
  expect(await svcm("process", "stop")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No process was given") as string,
  });
  expect(await svcm("process", "start", "restapi", "-e", "dev")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--ecosystem") as string,
  });
});

test("every action is in the audit log, by name and without a value", async () => {
  const { stdout } = await svcm("audit", "--json", "--limit", "1000");
  const { records } = JSON.parse(stdout) as { records: { action: string; target: string; outcome: string }[] };
  const lines = records.map(({ action, target, outcome }) => `${action} ${target} ${outcome}`);
  expect(lines).toContain("process.start ecosystem restapi, grpcapi succeeded");
  expect(lines).toContain("process.start ecosystem ends failed");
  expect(lines).toContain("process.start ecosystem missing refused");
  expect(lines).toContain("process.stop namespace realtime succeeded");
  expect(readFileSync(file(".svcm/audit.jsonl"), "utf8")).not.toContain(CANARY);
});
