import { readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { expect, test } from "vitest";
import { isLinux } from "../support/machine.ts";
import { serve } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const WARM_UP_MS = 30_000;
const WATCHED_MS = 60_000;
const MAX_WAKES = WATCHED_MS / 10_000;

/** The times at which the server's thread woke up. */
function wakesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
}

test.skipIf(!isLinux)("a server without a watcher wakes up at most once in ten seconds", async () => {
  const { pid } = await serve({ root: makeWorkspace().root });
  await after(WARM_UP_MS);
  const before = wakesOf(pid);
  await after(WATCHED_MS);
  // One more, because the period may begin immediately before a wake-up.
  expect(wakesOf(pid) - before).toBeLessThanOrEqual(MAX_WAKES + 1);
});
