import { SvcmError } from "../api/errors.ts";
import { recordReadCopies } from "./env-file-copies.ts";
import { expectedApps } from "./expected.ts";
import { withMachineEnvironment } from "./machine-environment.ts";
import { withDeployed } from "./port-deployed.ts";
import { type ApplyPorts, readAppliedState } from "./ports.ts";
import { readStates } from "./read-states.ts";
import { LIST_BUDGET_MS, readVerdicts } from "./read-verdicts.ts";

/** Looks at processes that a command has just started, so that a later look compares contents. It never fails. */
export async function recordStarts(own: ApplyPorts): Promise<void> {
  await recordReadCopies(own);
  try {
    // The record belongs to the machine, so the limits of a token do not matter.
    const request = await withMachineEnvironment(own, {}, {});
    const ports = await withDeployed(own, request);
    const { content, start } = await readStates(ports, request);
    if (content.loaded === undefined) return;
    const { apps: appliedApps } = await readAppliedState(ports);
    const { expecting, running } = start;
    const expected = expectedApps(content.loaded, expecting);
    const { digest } = expecting;
    await readVerdicts(ports, { content, expected, running, appliedApps, digest, budgetMs: LIST_BUDGET_MS });
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
}
