import { afterAll, beforeAll, expect, test } from "vitest";
import { metricsPayload } from "../../src/core/api/metrics.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, repository, testServer } from "./support.ts";
import { longTest } from "../support/runs.ts";

const METRICS = "/api/runtime/pm2-metrics";

let own: Pm2;
const env = () => ({ PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home });

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  await own.run({ name: "api", env: { SVC_NOTE: "CANARY" }, args: ["CANARY"] });
});
afterAll(() => own.end());

test("the metrics of the given environment match their schema", async () => {
  const server = await testServer({ env: env() });
  const answer = await ask(server, `${METRICS}?environment=Development&asyncContext=true`);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  const payload = metricsPayload.parse(answer.json);
  expect(payload).toMatchObject({ source: "pm2", environment: "development", processes: [{ name: "api" }] });
  expect(answer.text).not.toContain("CANARY");
});

longTest("/metrics has OpenMetrics of host, processes and svcm", async () => {
  const server = await testServer({ env: env() });
  const accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  const { status, headers, text } = await ask(server, "/metrics", { headers: { accept } });
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(text).toMatch(/^svcm_process_up\{name="api",pm_id="0"\} 1$/m);
  expect(text).toMatch(/^svcm_build_info\{version="1\.2\.3",server="[\w-]{22}"\} 1$/m);
  expect(text.endsWith("# EOF\n")).toBe(true);
  expect(text).not.toContain("CANARY");
});

longTest("/metrics has the text format 0.0.4 for clients that do not ask for OpenMetrics", async () => {
  const server = await testServer({ env: env() });
  for (const headers of [{}, { accept: "*/*" }, { accept: "text/plain;version=0.0.4" }, { accept: "text/html" }]) {
    const { status, headers: answered, text } = await ask(server, "/metrics", { headers });
    expect(status).toBe(200);
    expect(answered["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(text).toMatch(/^# TYPE svcm_process_restarts_total counter$/m);
    expect(text).toMatch(/^svcm_process_up\{name="api",pm_id="0"\} 1$/m);
    expect(text).not.toContain("# EOF");
  }
});

longTest("without PM2, /metrics has only the host", async () => {
  const server = await testServer({ env: { PM2_HOME: "/nowhere/pm2" } });
  const { status, text } = await ask(server, "/metrics");
  expect(status).toBe(200);
  expect(text).toContain("svcm_pm2_up 0\n");
  expect(text).toMatch(/^svcm_host_cpu_usage_ratio [\d.]+$/m);
});

test("/metrics has the processes while svcm.yaml is broken", async () => {
  const files = repository();
  const file = join(files.root, "svcm.yaml");
  const valid = "version: 1\nenvironments: { production: [prod] }\ndefault: production\n";
  writeFileSync(file, valid);
  const server = await testServer({ repository: files, env: env() });
  const quietServer = await testServer({ repository: files, env: env() });
  // PM2's agent sends its own metrics, as in most apps.
  await own.run({ name: "agent", pmx: true });
  const metricsOf = async () => (await own.link().list()).map(({ customMetrics }) => Object.keys(customMetrics).length);
  await expect.poll(metricsOf).toEqual([0, expect.toSatisfy((count: number) => count > 0)]);
  const measured = async (): Promise<unknown[]> => {
    const { status, text } = await ask(server, "/metrics");
    const found = [/^svcm_pm2_up \d$/m, /^svcm_process_up\{name="api".*$/m, /^svcm_ecosystem_readable.*$/m];
    return [status, ...found.map((pattern) => pattern.exec(text)?.[0])];
  };
  const up = [200, "svcm_pm2_up 1", 'svcm_process_up{name="api",pm_id="0"} 1'];
  expect((await measured()).slice(0, 3)).toEqual(up);
  const unreadable = [...up, 'svcm_ecosystem_readable{environment="production"} 0'];
  writeFileSync(file, "version: [");
  expect(await measured()).toEqual(unreadable);
  const { status, text } = await ask(quietServer, "/metrics");
  expect([status, text.match(/^svcm_process_up\{.*$/gm)]).toEqual([
    200,
    ['svcm_process_up{name="agent",pm_id="1"} 1', 'svcm_process_up{name="api",pm_id="0"} 1'],
  ]);
  rmSync(file);
  mkdirSync(file);
  expect(await measured()).toEqual(unreadable);
  expect((await ask(server, METRICS)).json).toMatchObject({ ecosystem: { code: "EISDIR" } });
});

test.each([
  [`${METRICS}?environment=moon`, 400, "Invalid environment request."],
  [`${METRICS}?environment=dev&environment=dev`, 400, "Invalid environment request."],
  [`${METRICS}?interval=5`, 400, "Invalid request."],
])("%s is refused", async (path, status, error) => {
  const answer = await ask(await testServer({ env: env() }), path);
  expect([answer.status, answer.json.error]).toEqual([status, error]);
});
