import { STABLE_MS } from "../../../../src/core/pm2/settings.ts";
import { expect, test } from "vitest";
import {
  isAlreadyDone,
  OnlineRuns,
  NO_PREVIOUS_RUN,
  judge,
  verificationFailed,
} from "../../../../src/core/rollout/control/verify.ts";
import { record } from "../../../support/process-record.ts";

const stable = { status: "online", pid: 2, startedAt: 1_000_000 };
const before = record({ status: "online", pid: 1, startedAt: 1, restartCount: 4 });

test("a stop is done when the process is listed as stopped and has no pid", () => {
  expect(judge("stop", before, record({ status: "stopped", pid: null }), STABLE_MS)).toBe("done");
  expect(judge("stop", before, record({ status: "stopping" }), STABLE_MS)).toBe("pending");
  expect(judge("stop", before, record({ status: "stopped", pid: 1 }), STABLE_MS)).toBe("pending");
  expect(judge("stop", before, record({ status: "errored" }), STABLE_MS)).toMatchObject({
    failed: expect.stringContaining("errored") as string,
  });
  expect(judge("stop", before, undefined, STABLE_MS)).toEqual({ failed: "PM2 no longer lists it" });
  expect(judge("stop", before, record({ status: "launching", pid: 2 }), STABLE_MS)).toEqual({
    failed: "PM2 itself started it again meanwhile",
  });
});

test("a delete is done when PM2 does not list the process, and has failed if PM2 lists it after its answer", () => {
  expect(judge("delete", before, undefined, 0)).toBe("done");
  for (const status of ["online", "launching", "stopped", "errored"])
    expect(judge("delete", before, record({ status }), 0)).toEqual({ failed: "PM2 itself started it again meanwhile" });
});

test("a start is done when the process has been online for as long as PM2 calls stable", () => {
  expect(judge("start", NO_PREVIOUS_RUN, record(stable), STABLE_MS)).toBe("done");
  expect(judge("start", NO_PREVIOUS_RUN, record(stable), STABLE_MS - 1)).toBe("pending");
  expect(judge("start", NO_PREVIOUS_RUN, record({ ...stable, status: "launching" }), STABLE_MS)).toBe("pending");
  expect(judge("start", NO_PREVIOUS_RUN, record({ ...stable, pid: null }), 0)).toBe("pending");
});

test("a start has failed if the process ended after it, whatever its present status", () => {
  expect(
    judge(
      "start",
      NO_PREVIOUS_RUN,
      record({ ...stable, restartCount: 1, unstableRestarts: 1, exitCode: 3 }),
      STABLE_MS,
    ),
  ).toEqual({
    failed: "it ended right after its start, once so far, last with exit code 3",
  });
  for (const status of ["stopped", "errored", "waiting restart"])
    expect(judge("start", NO_PREVIOUS_RUN, record({ status }), STABLE_MS)).toEqual({
      failed: `its status is ${status}`,
    });
});

test("a restart is done after exactly one new run", () => {
  const after = record({ ...stable, restartCount: 5 });
  expect(judge("restart", before, after, STABLE_MS)).toBe("done");
  expect(judge("restart", before, { ...before, startedAt: 1 }, STABLE_MS)).toBe("pending");
  expect(judge("restart", before, { ...after, restartCount: 6, unstableRestarts: 1 }, STABLE_MS)).toMatchObject({
    failed: expect.stringContaining("once so far") as string,
  });
  const stopped = record({ status: "stopped", restartCount: 4 });
  expect(judge("restart", stopped, { ...after, restartCount: 4 }, STABLE_MS)).toBe("done");
  expect(judge("restart", stopped, { ...after, restartCount: 5, unstableRestarts: 1 }, STABLE_MS)).toMatchObject({
    failed: expect.stringContaining("once so far") as string,
  });
});

test("a restart that another program requests in the same moment is not an end, unless it goes on", () => {
  const after = record({ ...stable, restartCount: 6 });
  expect(judge("restart", before, after, STABLE_MS - 1)).toBe("pending");
  expect(judge("restart", before, after, STABLE_MS)).toBe("done");
  expect(judge("restart", before, { ...after, restartCount: 8 }, STABLE_MS)).toEqual({
    failed: "it ended right after its start, 3 times so far",
  });
});

test("a process that PM2 could not start has failed at the second look, not when the time is over", () => {
  const nothing = record({ ...stable, pid: null, restartCount: 5 });
  expect(judge("restart", before, nothing, 0)).toBe("pending");
  expect(judge("restart", before, nothing, 300)).toMatchObject({
    failed: expect.stringContaining("does not run") as string,
  });
});

test("a new run shows that PM2 itself did the requested start or restart, but is never the result of a stop", () => {
  const another = record({ ...before, status: "launching", pid: 2 });
  expect(isAlreadyDone("restart", before, another)).toBe(true);
  expect(isAlreadyDone("start", NO_PREVIOUS_RUN, another)).toBe(true);
  expect(isAlreadyDone("stop", before, another)).toBe(false);
  expect(isAlreadyDone("restart", before, before)).toBe(false);
  expect(isAlreadyDone("restart", before, record({ ...another, status: "stopped" }))).toBe(false);
});

test("the online time counts from the first time a run is seen, and a new run starts at 0", () => {
  const runs = new OnlineRuns();
  const run = record({ ...stable, pmId: 3 });
  expect([runs.onlineMs(run, 5), runs.onlineMs(run, 905), runs.onlineMs(run, 1005)]).toEqual([0, 900, 1000]);
  expect(runs.onlineMs({ ...run, pid: 9 }, 1105)).toBe(0);
  expect(runs.onlineMs({ ...run, pid: 9 }, 1205)).toBe(100);
});

test("the hint of a failed action names the app, as a shell takes it", () => {
  const hintOf = (name: string) => verificationFailed("restart", name, "it ended").body.hint;
  expect(hintOf("args")).toBe("Read why: svcm why args");
  expect(hintOf("my app")).toBe("Read why: svcm why 'my app'");
});
