import { SvcmError } from "../api/errors.ts";
import type { HasClock } from "../files/ports.ts";
import type { BootOutlook, HasBootOutlook } from "../rollout/port-deployed.ts";
import type { BootPorts } from "./ports.ts";
import type { Issue } from "../api/issue.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import { NOT_COMPARED } from "./facts.ts";
import { bootFindings } from "./examine.ts";
import { readBootFacts, readMachineFacts } from "./read-facts.ts";
import { listRules } from "./rules-list.ts";

export function createBootOutlook(ports: BootPorts): BootOutlook {
  let last: ReturnType<BootOutlook["last"]>;
  return {
    last: () => last,
    async look() {
      last = await orUndefined(readBootErrors(ports));
    },
    async apps() {
      return (await orUndefined(readAppWarnings(ports))) ?? [];
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

async function readBootErrors(ports: BootPorts): Promise<Issue[]> {
  const facts = await readBootFacts(ports, { environment: undefined }, {});
  const errors = bootFindings(facts).filter(({ severity }) => severity === "error");
  return errors.map(({ command: _command, ...finding }) => toIssue(finding));
}

async function readAppWarnings(ports: BootPorts): Promise<Issue[]> {
  const facts = await readMachineFacts(ports);
  if (facts.saved.state !== "read" || facts.running === null || facts.daemon?.isForeground) return [];
  return Array.from(findingsOf(listRules, { ...facts, declared: NOT_COMPARED }), (finding) => {
    const { command, message, ...rest } = finding;
    return toIssue({ ...rest, severity: "warning", message: `after a reboot: ${message}. Next: ${command}` });
  });
}
