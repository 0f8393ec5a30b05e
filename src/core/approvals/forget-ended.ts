import { SvcmError } from "../api/errors.ts";
import type { HasClock } from "../files/ports.ts";
import type { HasProposals } from "./port-proposals.ts";

const WAIT_MS = 600_000;

/** Without another proposal, nothing else would remove the values of one that expired. Until the signal. */
export async function forgetEnded({ clock, proposals }: HasClock & HasProposals, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(WAIT_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await (await proposals()).forget(clock.now());
    } catch (error) {
      // A caller that reads the proposals gets the same error.
      if (!(error instanceof SvcmError)) throw error;
    }
  }
}
