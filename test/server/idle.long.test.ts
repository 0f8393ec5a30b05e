import { readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { expect, test } from "vitest";
import { isLinux } from "../support/machine.ts";
import { serve } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const WARM_UP_MS = 30_000;
const WATCHED_MS = 60_000;
const MAX_WAKES = WATCHED_MS / 10_000;

const LOOK_MS = 250;

/** Each wait of the server's thread counts, also for a file. */
function waitsOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
}

/** A wake-up may read many files, and last from one look to the next. */
async function countWakes(pid: number): Promise<number> {
  let wakes = 0;
  let wasAwake = false;
  for (let [waits, look] = [waitsOf(pid), 0]; look < WATCHED_MS / LOOK_MS; look += 1) {
    await after(LOOK_MS);
    const now = waitsOf(pid);
    if (now !== waits && !wasAwake) wakes += 1;
    wasAwake = now !== waits;
    waits = now;
  }
  return wakes;
}

test.skipIf(!isLinux)("a server without a watcher wakes up at most once in ten seconds", async () => {
  const { pid } = await serve({ root: makeWorkspace().root });
  await after(WARM_UP_MS);
  // One more, because the period may begin immediately before a wake-up.
  expect(await countWakes(pid)).toBeLessThanOrEqual(MAX_WAKES + 1);
});
