import type { Ports } from "../../src/core/index.ts";

/**
 * The same world, in which a pause takes a fifth of its time: a process has to be seen online as often as ever, but not for
 * as long. Time passes only in pauses, so a loaded machine has more of it.
 */
export function withQuickClock(ports: Ports): Ports {
  const { clock } = ports;
  let nowMs = clock.elapsed();
  const pause: typeof clock.pause = async (ms, signal) => {
    const dueMs = nowMs + ms;
    await clock.pause(ms / 5, signal);
    nowMs = Math.max(nowMs, dueMs);
  };
  return { ...ports, clock: { ...clock, elapsed: () => nowMs, pause } };
}
