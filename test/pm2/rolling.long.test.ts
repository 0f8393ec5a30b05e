import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { clustered } from "./clustered.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const { own, act, recordsOf, loadDuring, expectTurns } = clustered();

test("a reload of a cluster loses no more requests than PM2's own reload in the same run", async () => {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  const byPm2 = await loadDuring(() => promisify(execFile)(process.execPath, [PM2, "reload", "web"], { env }));
  const before = await recordsOf("web");
  const bySvcm = await loadDuring(() => act("reload", "web"));
  expect(bySvcm.failed).toBeLessThanOrEqual(byPm2.failed);
  expect(bySvcm.sent).toBeGreaterThan(100);
  const after = await recordsOf("web");
  expect(after.map(({ pmId, status }) => [pmId, status])).toEqual(before.map(({ pmId }) => [pmId, "online"]));
  for (const [index, { pid }] of after.entries()) expect(pid).not.toBe(before[index]!.pid);
});

test("a restart of a cluster ends an instance only while another listens", () => expectTurns("restart"));
