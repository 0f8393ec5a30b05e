import type * as Crypto from "node:crypto";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Host } from "../ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  pause: async (ms, signal) => {
    await delay(ms, undefined, signal && { signal });
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
