/** The times of a schedule: PM2's own library, asked once until a time has come. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { pm2Schedules } from "../../../../src/core/pm2/daemon/schedules.ts";

const HOUR_MS = 3_600_000;
const NIGHTLY = "0 3 * * *";

let root: string;
let library: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svcm-schedules-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const pm2 = join(root, "node_modules/pm2");
  library = join(pm2, "node_modules/croner");
  mkdirSync(dirname(library), { recursive: true });
  writeFileSync(join(pm2, "package.json"), JSON.stringify({ name: "pm2", version: "7.0.4" }));
  const resolve = createRequire(createRequire(import.meta.url).resolve("pm2/package.json")).resolve("croner");
  symlinkSync(join(resolve.slice(0, resolve.indexOf("/croner/")), "croner"), library);
  mkdirSync(join(root, "home"));
  // The zone is that of a daemon's process: this one has its environment in /proc, too.
  writeFileSync(join(root, "home/pm2.pid"), `${process.pid}`);
});

const places = () => ({ root, home: join(root, "home"), path: undefined });

test("times that are known are answered without the library, and equal its own", async () => {
  const schedules = pm2Schedules(places());
  const begin = Date.UTC(2026, 0, 10, 0, 30);
  const first = await schedules.next([{ pattern: NIGHTLY, afterMs: begin }]);
  const next = first?.timesMs[0] as number;
  expect(new Date(next).getHours()).toBe(3);
  expect(next - begin).toBeLessThan(24 * HOUR_MS);
  const before = [begin, begin + 1, next - 1].map((afterMs) => ({ pattern: NIGHTLY, afterMs }));
  const own = await pm2Schedules(places()).next(before);
  rmSync(library);
  expect(await schedules.next(before)).toEqual(own);
  expect(own?.timesMs).toEqual([next, next, next]);
});

test.each([
  ["the time has come", NIGHTLY, 24 * HOUR_MS],
  ["the moment is earlier", NIGHTLY, -24 * HOUR_MS],
  ["the pattern is another one", "0 4 * * *", 0],
])("the library is asked again if %s", async (_, pattern, laterMs) => {
  const schedules = pm2Schedules(places());
  const begin = Date.UTC(2026, 0, 10, 0, 30);
  await schedules.next([{ pattern: NIGHTLY, afterMs: begin }]);
  const request = [{ pattern, afterMs: begin + laterMs }];
  expect(await schedules.next(request)).toEqual(await pm2Schedules(places()).next(request));
  rmSync(library);
  expect(await schedules.next([{ pattern: "0 5 * * *", afterMs: begin }])).toBeUndefined();
});

test("a schedule that PM2 refuses, and one that never comes again, are not asked twice", async () => {
  const schedules = pm2Schedules(places());
  const begin = Date.UTC(2026, 0, 10);
  // The library fails at the last one.
  const patterns = ["nonsense", "0 0 30 2 *", "0 0 31 2,4,6,9,11 *"];
  const requests = patterns.map((pattern) => ({ pattern, afterMs: begin }));
  const answers = ["invalid", null, null];
  expect((await schedules.next(requests))?.timesMs).toEqual(answers);
  rmSync(library);
  const later = requests.map(({ pattern }) => ({ pattern, afterMs: begin + HOUR_MS }));
  expect((await schedules.next(later))?.timesMs).toEqual(answers);
});
