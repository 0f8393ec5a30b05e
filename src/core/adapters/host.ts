import type * as Crypto from "node:crypto";
import { availableParallelism } from "node:os";
import type { Clock, Host } from "../ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  async pause(ms, signal) {
    const { setTimeout } = await import("node:timers/promises");
    await setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) });
  },
};

/** This machine. `node:crypto` is loaded by the first call that needs it: most commands never do. */
export const nodeHost: Host = {
  digest: (bytes) => crypto().createHash("sha256").update(bytes).digest("base64url"),
  randomId: () => crypto().randomUUID(),
  cpuCores: () => Math.max(1, availableParallelism()),
};

function crypto(): typeof Crypto {
  return process.getBuiltinModule("node:crypto");
}
