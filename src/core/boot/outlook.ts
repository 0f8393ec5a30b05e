import { SvcmError } from "../api/errors.ts";
import type { HasClock } from "../files/port-host.ts";
import type { BootOutlook, HasBootOutlook } from "../rollout/port-boot-outlook.ts";
import type { BootPorts } from "./ports.ts";

/** Few commands look, so the others do not load the rules. */
export function createBootOutlook(ports: BootPorts): BootOutlook {
  let last: ReturnType<BootOutlook["last"]>;
  return {
    last: () => last,
    async look() {
      last = await orUndefined((await import("./read-outlook.ts")).readBootErrors(ports));
    },
    async apps() {
      return (await orUndefined((await import("./read-outlook.ts")).readAppWarnings(ports))) ?? [];
    },
  };
}

/** An answer about the machine must not fail because of this. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SvcmError) return undefined;
    throw error;
  }
}

const FIRST_LOOK_MS = 60_000;
const LOOK_MS = 300_000;

/** Ends with the signal. */
export async function watchBoot({ bootOutlook, clock }: HasBootOutlook & HasClock, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = LOOK_MS) {
    await clock.sleep(waitMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    await bootOutlook.look();
  }
}
