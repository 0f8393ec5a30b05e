import type { ApplyPorts } from "../ports.ts";
import type { SkippedProcess } from "../../pm2/process-record.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Issue } from "../../api/issue.ts";
import type { ProcessAction, ProcessScope } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import { once } from "../../words/once.ts";

import {
  type AffectedProcess,
  type AppliedField,
  type Effect,
  type Outcome,
  type Act,
  type Acts,
  createActionSubject,
  noteOutcome,
} from "../control/action.ts";
import { runAll, createActs } from "../control/acts.ts";
import { recordStarts } from "../record-starts.ts";
import { withDeployed } from "../port-deployed.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { createHealthWaiter } from "../apply/gate.ts";

export interface ProcessActionResult {
  readonly ok: true;
  readonly action: ProcessAction;
  readonly scope: ProcessScope;
  /** The name of the app, apps or namespace; `*` for every app of the ecosystem file. */
  readonly name: string;
  /** Present if the request has it, or if only one process is affected. */
  readonly pmId?: number | undefined;
  readonly affected: readonly AffectedProcess[];
  /** Processes that are already in the requested state, or that handle this request. */
  readonly skipped: readonly SkippedProcess[];
  /** For a restart or reload with the scope `ecosystem`: fields that differed before and no longer do. */
  readonly applied?: readonly AppliedField[];
  /** Variables without a value, and fields for which PM2 keeps a value other than the declared one. */
  readonly warnings: readonly Issue[];
}

type Input = InputOf<"process.act">;

/**
 * Returns when PM2's list shows the result. svcm records the action before its first effect; if recording fails,
 * nothing happens.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, PROCESS_ACTION_FAILED,
 * PROCESS_ACTION_REFUSED, PM2_FAILED, AUDIT_FAILED; for the scope `ecosystem` also the errors of its file
 * @see CONTRACT section 4
 */
export const processAct = defineOperation({
  id: "process.act",
  access: "act",
  async run(own: ApplyPorts, request, caller): Promise<ProcessActionResult> {
    const isDeclared = request.scope === "ecosystem";
    const input = isDeclared ? await withMachineEnvironment(own, request, caller) : request;
    const ports = isDeclared ? await withDeployed(own, input) : own;
    const { action, scope = "process", timeoutMs } = input;
    const act = async (attempt: Attempt): Promise<ProcessActionResult> => {
      const acts = await createActs(ports, { ...input, scope }, attempt);
      const acting = { ports, action, timeoutMs, begin: once(attempt.begin) };
      const outcome = await withReadyReports(own, action, async () =>
        runAll(action, await withHealthWait(ports, input, acts.create(acting)), caller.report),
      );
      const result = toResult({ ...input, scope }, acts, outcome, await acts.readEffect());
      noteOutcome(attempt, ports, result);
      return result;
    };
    const namingProcesses = (attempt: Attempt): Promise<ProcessActionResult> =>
      act(attempt).catch((error: unknown) => {
        const { processes } = attempt.subject;
        if (!(error instanceof SvcmError) || processes === undefined) throw error;
        throw new SvcmError(error.kind, { ...error.body, processes });
      });
    return await withAudit(ports, caller, createActionSubject(input), namingProcesses, { isAlwaysRecorded: true });
  },
});

/**
 * With `wait`, the next instance of an app starts only when the previous one is healthy. Without it, that applies to the
 * apps that declare what healthy means: a probe, or `wait_ready`.
 */
async function withHealthWait(
  ports: ApplyPorts,
  { action, wait, timeoutMs }: Input,
  acts: readonly Act[],
): Promise<readonly Act[]> {
  if (action === "stop" || action === "delete") return acts;
  const untilHealthy =
    wait === true
      ? await createHealthWaiter(ports, timeoutMs)
      : await createHealthWaiter(ports, timeoutMs, "where declared").catch(ignoreSettings);
  const run = async (act: Act): Promise<Outcome> => {
    const outcome = await act.run();
    await untilHealthy(outcome.affected);
    return outcome;
  };
  return acts.map((act) => ({ ...act, run: () => run(act) }));
}

/** PM2 shows an app with `wait_ready` as online even if it has stopped waiting for it. */
async function withReadyReports<T>(ports: ApplyPorts, action: ProcessAction, work: () => Promise<T>): Promise<T> {
  if (action === "stop" || action === "delete") return work();
  await ports.processes.listenForReady(true).catch(ignoreExpected);
  try {
    return await work();
  } finally {
    await ports.processes.listenForReady(false).catch(ignoreExpected);
    // Some may have started before a failure.
    await recordStarts(ports);
  }
}

/** A fault in the settings of applies does not keep a process from starting. */
function ignoreSettings(error: unknown): () => Promise<void> {
  ignoreExpected(error);
  return () => Promise.resolve();
}

/** Without PM2's bus, or without a daemon, no process reports. */
function ignoreExpected(error: unknown): void {
  if (!(error instanceof SvcmError)) throw error;
}

function toResult(
  { action, pmId, scope }: Input & { readonly scope: ProcessScope },
  acts: Acts,
  outcome: Outcome,
  effect: Effect,
): ProcessActionResult {
  const affected = outcome.affected.toSorted((a, b) => a.pmId - b.pmId);
  const skipped = [...acts.skipped, ...outcome.skipped].toSorted((a, b) => a.pmId - b.pmId);
  const only = affected.length + skipped.length === 1 ? (affected[0] ?? skipped[0])?.pmId : undefined;
  const common = { ok: true, action, scope, name: acts.name } as const;
  return { ...common, pmId: pmId ?? only, affected, skipped, ...effect };
}
