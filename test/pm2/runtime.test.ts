/** A real pm2-runtime, as the first process of a container is, with svcm beside it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  bootShow,
  daemonRenew,
  daemonShow,
  eventWhy,
  execute,
  metricsShow,
  processList,
  processShow,
} from "../../src/core/index.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { canUnshare } from "../support/machine.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "act", "write", "admin"] } as const;
const place = { environment: undefined, service: undefined };
const RUNTIME = createRequire(import.meta.url).resolve("pm2/bin/pm2-runtime");
const CODE = `const { existsSync, writeFileSync } = require("node:fs");
console.log("started");
if (!existsSync("again")) setTimeout(() => { writeFileSync("again", ""); process.exit(7); }, 300);
process.on("SIGINT", () => { writeFileSync("drained", ""); process.exit(0); });
setInterval(() => {}, 1e6);`;

longTest("state, ends, boot and daemon are shown as they are, and a stop drains the apps", async () => {
  const own = pm2();
  const ports = own.ports();
  onTestFinished(() => own.end());
  mkdirSync(own.home, { recursive: true });
  writeFileSync(join(own.folder, "web.cjs"), CODE);
  own.pm2Folder([{ name: "web", script: "./web.cjs", cwd: own.folder }]);
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  const runtime = spawn(process.execPath, [RUNTIME, "start", join(own.folder, "pm2/ecosystem.dev.config.cjs")], {
    cwd: own.folder,
    env,
    stdio: "ignore",
  });
  const ended = new Promise<number | null>((resolve) => runtime.once("exit", resolve));
  const web = async () =>
    (await execute(processList, ports, {}, caller).catch(() => ({ processes: [] }))).processes.map(
      ({ name, status, restartCount }) => `${name} ${status} ${restartCount}`,
    );
  await expect.poll(web, { timeout: 30_000 }).toEqual(["web online 1"]);

  const why = JSON.stringify(await execute(eventWhy, ports, { name: "web" }, caller));
  expect(why).toContain("exit code 7");
  expect(why).toContain("There is no pm2.log, as under pm2-runtime");
  const boot = await execute(bootShow, ports, place, caller);
  expect([boot.verdict, ...boot.findings.map(({ code }) => code)]).toEqual(["unknown", "BOOT_FOREGROUND"]);
  const { daemons } = await execute(daemonShow, ports, {}, caller);
  expect(daemons?.filter(({ isOwn }) => isOwn)).toMatchObject([
    { pid: runtime.pid, isForeground: true, pm2Version: expect.stringMatching(/^\d+\./) },
  ]);
  const renewal = execute(daemonRenew, ports, { goBack: false }, caller);
  await expect(renewal).rejects.toMatchObject({ body: { code: "RENEW_REFUSED" } });
  await expect(renewal).rejects.toThrow(/PM2 runs in the foreground/);
  await ports.processes.close();

  runtime.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(readFileSync(join(own.folder, "drained"), "utf8")).toBe("");
});

test.skipIf(!canUnshare)(
  "from outside of its container, its apps are not left over, and nothing is said of other processes with their numbers (needs root and unshare)",
  async () => {
    const own = pm2();
    const ports = own.ports();
    onTestFinished(() => own.end());
    mkdirSync(own.home, { recursive: true });
    writeFileSync(join(own.folder, "web.cjs"), 'require("node:net").createServer().listen(0, () => console.log("up"))');
    own.pm2Folder([{ name: "web", script: "./web.cjs", cwd: own.folder, env: { PORT: "4711" } }]);
    const outer = spawn(
      "unshare",
      "--pid --fork --mount-proc --kill-child"
        .split(" ")
        .concat(process.execPath, RUNTIME, "start", join(own.folder, "pm2/ecosystem.dev.config.cjs")),
      { env: { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home }, stdio: "ignore" },
    );
    const ended = new Promise((resolve) => outer.once("exit", resolve));
    const leftOvers = async (): Promise<unknown[]> =>
      ((await ports.machine.listeners()) ?? []).filter(({ origin }) => origin?.pm2Home === own.home);
    const isListening = async (): Promise<boolean> => {
      const list = await ports.processes.list().catch(() => []);
      return list.length > 0 && readFileSync(join(own.home, "logs/web-out.log"), "utf8") !== "";
    };
    await expect.poll(() => isListening().catch(() => false), { timeout: 30_000 }).toBe(true);
    expect(await leftOvers()).toEqual([]);
    const { daemons, findings } = await execute(daemonShow, ports, {}, caller);
    expect(daemons?.filter(({ isOwn }) => isOwn)).toMatchObject([{ pid: 1, isForeground: true, nodePath: null }]);
    expect(findings.map(({ code }) => code)).not.toContain("DAEMON_SEVERAL");
    const boot = await execute(bootShow, ports, place, caller);
    expect([boot.verdict, ...boot.findings.map(({ code }) => code)]).toEqual(["unknown", "BOOT_FOREGROUND"]);
    const shown = await execute(processShow, ports, { name: "web", ...place, environment: "dev" }, caller);
    expect(shown.processes).toMatchObject([{ ports: null, state: "online", memoryBytes: expect.any(Number) }]);
    expect(JSON.stringify(shown.why)).not.toContain("Nothing accepts");
    expect(shown.why.now).toContainEqual(expect.stringContaining("it cannot be seen from here"));
    const { processes } = await execute(metricsShow, ports, { ...place, environment: "dev" }, caller);
    expect(processes[0]?.memoryBytes).toBeGreaterThan(1e7);
    await ports.telemetry.close();
    await ports.processes.close();
    outer.kill("SIGKILL");
    await ended;
  },
);

test.skipIf(!canUnshare)(
  "the ports of a process in another network cannot be seen (needs root and unshare)",
  async () => {
    const other = spawn("unshare", ["--net", "sh", "-c", "echo up; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void other.kill("SIGKILL"));
    await once(other.stdout, "data");
    const kernel = await pm2().ports().machine.openTrees();
    expect([kernel?.shows(process.pid), kernel?.shows(other.pid ?? 0)]).toEqual([true, false]);
  },
);

test("the recipe of the how-to is one that this repository's pm2-runtime understands", () => {
  const page = readFileSync(join(REPOSITORY, "docs/how-to/containers.md"), "utf8");
  const [, docker = ""] = /```dockerfile\n([\s\S]*?)```/.exec(page) ?? [];
  const words = docker
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" ")[0]);
  expect(words).toEqual(["FROM", "WORKDIR", "ENV", "COPY", "RUN", "COPY", "RUN", "USER", "CMD"]);
  const [, command = "[]"] = /^CMD (.*)$/m.exec(docker) ?? [];
  const [program, verb, file] = JSON.parse(command) as string[];
  expect([program, verb, file]).toEqual(["node_modules/.bin/pm2-runtime", "start", "ecosystem.config.js"]);
  const { bin } = createRequire(import.meta.url)("pm2/package.json") as { bin: Record<string, string> };
  expect(Object.keys(bin)).toContain("pm2-runtime");
});
