import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { metricsPayload } from "../../src/core/api/metrics.ts";
import { ecosystemDrift, execute, metricsExpose, metricsShow, type Ports, type Sample } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
/** Idle until SIGUSR2. */
const BUSY = `setInterval(() => {}, 1e6);
process.on("SIGUSR2", () => setInterval(() => { for (const end = Date.now() + 20; Date.now() < end; ); }, 21));`;
/** The stores of the app contain a secret of its environment and one of another process, under harmless keys. */
const SERVE = `const note = "it is " + process.env.PAYMENT_TOKEN;
require("node:http").createServer(({ url }, response) => {
  response.writeHead(url === "/async-context-metrics" ? 200 : 404);
  const store = { requestId: "r1", accessToken: "CANARY-STORE", note, other: { note: "CANARY-ENV" } };
  response.end(JSON.stringify({ active: 4, [process.env.PAYMENT_TOKEN]: 5, recentStores: [store] }));
}).listen(process.env.SVC_HTTP_PORT, "127.0.0.1");`;

let own: Pm2;
let daemon: Daemon;
let ports: Ports;

beforeAll(async () => {
  own = pm2();
  daemon = await own.startDaemon();
  ports = own.ports();
  const secrets = { CANARY_KEY: "CANARY-ENV", SVC_OLD: "CANARY-OLD" };
  await own.run({ name: "busy", code: BUSY, args: ["--token", "CANARY-ARG"], env: secrets });
  await own.run({ name: "idle", env: { SVC_HTTP_PORT: "1" } });
});
afterAll(async () => {
  await ports.telemetry.close();
  await own.end();
});

const isServing = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );

const show = (asyncContext = false) => execute(metricsShow, ports, { environment: "dev", asyncContext }, caller);

longTest("a busy process is measured as busy and an idle one as idle, in the format of the schema", async () => {
  let payload = metricsPayload.parse(await show());
  process.kill(payload.processes.find(({ name }) => name === "busy")!.pid!, "SIGUSR2");
  const cpuOf = (wanted: string): number => payload.processes.find(({ name }) => name === wanted)?.cpuPercent ?? 0;
  // A starting process is busy as well.
  const isBusier = async (): Promise<boolean> => {
    payload = metricsPayload.parse(await show());
    return cpuOf("busy") > 2 * cpuOf("idle");
  };
  await expect.poll(isBusier).toBe(true);
  const [busy, idle] = payload.processes;
  expect([busy?.name, idle?.name]).toEqual(["busy", "idle"]);
  expect(idle).toMatchObject({ status: "online", diskIo: { supported: true }, asyncContext: null });
  expect(idle?.memoryBytes).toBeGreaterThan(2 ** 20);
  expect(payload.host.memory.processRssSumBytes).toBe(busy!.memoryBytes! + idle!.memoryBytes!);
});

longTest("differences from the ecosystem file are reported without values", async () => {
  const busy = (await ports.processes.list()).find(({ name }) => name === "busy");
  const script = busy!.script!;
  const app = {
    name: "busy",
    script,
    cwd: busy!.cwd,
    args: ["--token", "CANARY-ARG"],
    env: { CANARY_KEY: "CANARY-ENV" },
  };
  own.pm2Folder([app, { name: "missing", script }]);
  const answer = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  expect(answer.drift.map(({ name, field, key, state }) => [name, field, key, state])).toEqual([
    ["busy", "env", "SVC_OLD", "stale"],
    ["idle", "app", null, "unexpected"],
    ["missing", "app", null, "missing"],
  ]);
  own.pm2Folder([
    { ...app, args: "--token CANARY-NEW", env: { CANARY_KEY: "CANARY-NEW", SVC_OLD: "CANARY-OLD", MORE: "1" } },
  ]);
  const payload = await show();
  const differences = payload.ecosystem.drift.filter(({ name }) => name === "busy");
  expect(differences.map(({ field, key, state }) => [field, key, state])).toEqual([
    ["args", null, "different"],
    ["env", "CANARY_KEY", "different"],
    ["env", "MORE", "absent"],
  ]);
});

longTest("no answer contains a value of an environment, an argument or a store", async () => {
  const port = await freePort();
  await own.run({ name: "serves", code: SERVE, env: { SVC_HTTP_PORT: String(port), PAYMENT_TOKEN: "CANARY-PAYMENT" } });
  await expect.poll(() => isServing(port)).toBe(true);
  const args = ["metrics", "show", "--environment", "dev", "--async-context", "--json"];
  const ask = async (): Promise<string> => (await svcm(args, { root: own.folder, env: { PM2_HOME: own.home } })).stdout;
  // On a loaded machine, an app may need more than the time-out of one second.
  let stdout = "";
  await expect.poll(async () => (stdout = await ask())).not.toContain("ASYNC_CONTEXT_TIMEOUT");
  const texts = [
    stdout,
    JSON.stringify(await show(true)),
    await execute(metricsExpose, ports, { version: "1.0.0", format: "openmetrics" }, caller),
    JSON.stringify(await execute(ecosystemDrift, ports, { environment: "dev" }, caller)),
  ];
  for (const text of texts) expect(text.replaceAll("CANARY_KEY", "")).not.toContain("CANARY");
  const { processes } = JSON.parse(texts[0]!) as Awaited<ReturnType<typeof show>>;
  const idle = processes.find(({ name }) => name === "idle");
  expect(idle?.asyncContext).toMatchObject({ code: "ASYNC_CONTEXT_UNREACHABLE" });
  expect(processes.find(({ name }) => name === "serves")?.asyncContext).toEqual({
    active: 4,
    "[REDACTED]": 5,
    recentStores: [
      { requestId: "r1", accessToken: "[REDACTED]", note: "it is [REDACTED]", other: { note: "[REDACTED]" } },
    ],
  });
});

longTest("a killed process is shown with its new pid, and the host is still reported when PM2 is killed", async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const request = { environment: "dev", intervalMs: 500, asyncContext: false };
  const samples = ports.telemetry.watch(request, stop.signal)[Symbol.asyncIterator]();
  const until = async (isSeen: (sample: Sample) => boolean): Promise<Sample> => {
    for (;;) {
      const { value } = await samples.next();
      if (isSeen(value as Sample)) return value as Sample;
    }
  };
  const pidOf = (sample: Sample): number | null | undefined =>
    sample.kind === "metrics" ? sample.payload.processes.find(({ name }) => name === "idle")?.pid : undefined;
  const before = pidOf(await until((sample) => typeof pidOf(sample) === "number"));
  process.kill(before!, "SIGKILL");
  await until((sample) => ![before, null, undefined].includes(pidOf(sample)));
  await daemon.signal("SIGKILL");
  const down = await until(({ kind }) => kind === "host");
  expect(down).toMatchObject({ error: { code: expect.stringMatching(/^PM2_(?:NOT_RUNNING|CONNECTION_LOST)$/) } });
  expect((await samples.next()).value).toMatchObject({
    payload: { host: { cpu: { usagePercent: expect.any(Number) } } },
  });
  await expect(show()).rejects.toMatchObject({ kind: "PM2_METRICS_FAILED" });
});
