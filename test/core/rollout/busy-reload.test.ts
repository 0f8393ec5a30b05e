/** PM2 refuses a reload while an earlier one runs, which ends by itself; every other refusal is an answer. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { requestAction } from "../../../src/core/rollout/control/action.ts";
import { record } from "../../support/process-record.ts";

const before = record({ status: "online", pid: 7 });
const refusal = (details: string) => new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details });
const BUSY = refusal("Reload already in progress, please try again later");

/** Answers after the refusals; `tries` counts the requests, and the clock moves only while svcm waits. */
async function reload(refusals: readonly SvcmError[], timeoutMs = 1000) {
  let nowMs = 0;
  let tries = 0;
  const ports = {
    clock: { elapsed: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
    processes: {
      reload: async () => {
        const error = refusals[tries];
        tries += 1;
        if (error !== undefined) throw error;
      },
    },
  };
  const context = { ports, action: "reload", timeoutMs };
  const done = await requestAction(context as never, before, {} as never).then(
    ({ before: run }) => run,
    (error: unknown) => error,
  );
  return { done, tries, hasWaited: nowMs > 0 };
}

test("a reload is requested again while PM2 is busy with another, until the time is over", async () => {
  expect(await reload([])).toEqual({ done: before, tries: 1, hasWaited: false });
  expect(await reload([BUSY, BUSY])).toEqual({ done: before, tries: 3, hasWaited: true });
  const { done, tries } = await reload(Array.from({ length: 10_000 }, () => BUSY));
  expect([done, tries < 10_000]).toEqual([BUSY, true]);
});

test("another refusal is passed on at once", async () => {
  const other = refusal("Script not found");
  expect(await reload([other])).toEqual({ done: other, tries: 1, hasWaited: false });
});
