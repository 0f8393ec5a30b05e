import type { Ports } from "../../src/core/index.ts";

/**
 * The same ports, but no time passes. A process is never online for long enough, so only its end decides, however late
 * it happens on a loaded machine.
 */
export function withStoppedClock(ports: Ports): Ports {
  const { clock } = ports;
  const nowMs = clock.elapsed();
  return { ...ports, clock: { ...clock, elapsed: () => nowMs } };
}
