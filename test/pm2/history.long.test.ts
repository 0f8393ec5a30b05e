import { afterAll, beforeAll, expect, test } from "vitest";
import { pm2 } from "../support/pm2-daemon.ts";
import { repository, testServer, ask } from "../server/support.ts";
import { svcm } from "../support/svcm.ts";

const real = pm2();
const CANARY = "canary-of-an-app";

beforeAll(async () => {
  await real.startDaemon();
  await real.run({ name: "api", env: { APP_SECRET: `${CANARY}-env` }, args: [`--password=${CANARY}-args`] });
});

afterAll(() => real.end());

test("svcm metrics history shows what svcm serve recorded, as a table, JSON and CSV, and no secret", async () => {
  const files = repository();
  const env = { PM2_HOME: real.home, HOME: files.root, PATH: process.env["PATH"] ?? "" };
  const server = await testServer({ repository: files, env, record: true });
  await expect.poll(async () => (await ask(server, "/api/history?series=api:memoryBytes")).json.series).not.toEqual([]);
  const [table, json, csv] = await Promise.all(
    [[], ["--json"], ["--csv"]].map((flags) =>
      svcm(["metrics", "history", "api", ...flags], { root: files.root, env }),
    ),
  );
  expect(table?.stdout).toMatch(/NAME\s+ID\s+CPU.*GROWTH/);
  expect(table?.stdout).toMatch(/api\s+0/);
  const answer = JSON.parse(json?.stdout ?? "") as { series: { app: string; metric: string }[] };
  expect(answer.series.map(({ metric }) => metric)).toContain("memoryBytes");
  expect(csv?.stdout.split("\n")[0]).toBe("time,app,pmId,metric,mean,max");
  expect(csv?.stdout).toMatch(/,api,0,memoryBytes,\d+,\d+/);
  expect(JSON.stringify([table, json, csv])).not.toContain(CANARY);
});
