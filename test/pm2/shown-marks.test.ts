/** Each view of an app shows its mutes and notes. */
import { beforeAll, expect, test } from "vitest";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { firstOrAll, longTest } from "../support/runs.ts";
import { svcm as run, type RunResult } from "../support/svcm.ts";

const { own } = runningPm2();

beforeAll(async () => {
  await own.run({ name: "api", code: IDLE });
});

const svcm = (...args: string[]): Promise<RunResult> =>
  run(args, { root: own.folder, env: { PM2_HOME: own.home, TZ: "Pacific/Auckland" } });

longTest("status, ls, show and why show the mute and the note of an app, in local time", async () => {
  expect((await svcm("note", "api", "Ann restarts it on Monday")).stderr).toBe("");
  const muted = await svcm("mute", "api", "--kind", "drift", "--until", "2h", "--reason", "the move");
  expect(muted.stdout).toMatch(/^api is muted until \S+ \S+\+1[23]:00: drift\.$/m);
  for (const view of firstOrAll([["show", "api"], ["ls"], ["why", "api"]])) {
    const { stdout } = await svcm(...view);
    expect(stdout).toMatch(/^Muted: api \(drift\) until \S+ \S+\+1[23]:00, by \S+: the move$/m);
    expect(stdout).toMatch(/^Note on api, by \S+, \S+ \S+\+1[23]:00: Ann restarts it on Monday$/m);
  }
  expect((await svcm("status")).stdout).toContain("1 muted (svcm mute), 1 note (svcm note).");
  expect((await svcm("ls", "--output", "name")).stdout).toBe("api\n");
});

test("a mark of a name that PM2 does not know is kept, with a warning", async () => {
  const { code, stderr } = await svcm("note", "apo", "x");
  expect([code, stderr]).toEqual([0, expect.stringContaining("PM2 knows no process with the name apo.")]);
  expect((await svcm("mute", "/var", "--kind", "disk", "--until", "2h")).stderr).toBe("");
  expect((await svcm("note", "apo", "")).stderr).toBe("");
});

test("a text without an app is refused, and an app without a note is answered with the way to leave one", async () => {
  const { code, stderr } = await svcm("note", "Ann restarts it");
  expect([code, stderr]).toEqual([2, expect.stringContaining("svcm note APP TEXT")]);
  expect((await svcm("note", "worker")).stdout).toBe("worker has no note.\nNext: svcm note worker TEXT\n");
});

test("svcm show without a name lists the names", async () => {
  const { code, stderr } = await svcm("show");
  expect([code, stderr]).toEqual([2, expect.stringContaining("Accepted: api.")]);
  expect(stderr).toContain("svcm show api");
});
