import { shellQuote } from "../../words/text.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { ApplyPorts } from "../apply/ports.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { noteProcesses } from "../control/action.ts";
import { jobRunning } from "../control/start-declared.ts";
import { resolveTarget } from "../../pm2/target.ts";
import { POLL_INTERVAL_MS } from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { appKind } from "../../running/verdict.ts";
import { readStateOf } from "../../running/read-states.ts";
import type { ProcessRunResult } from "../../api/rollout-requests.ts";
import { isAtRest, type ProcessState } from "../../running/state.ts";
import type { InputOf } from "../../api/inputs.ts";

const DEFAULT_RUN_MS = 10 * 60_000;

/**
 * Starts a job or task once and waits for its end. At the time limit it goes on running, and the result says so.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, PM2_FAILED, AUDIT_FAILED; PROCESS_ACTION_REFUSED with
 * NOT_A_JOB or JOB_RUNNING
 */
export const processRun = defineOperation({
  id: "process.run",
  access: "act",
  async run(ports: ApplyPorts, input, caller): Promise<ProcessRunResult> {
    return await withAudit(ports, caller, { action: "process.run", target: input.name }, async (attempt) => {
      const [target] = resolveTarget(await ports.processes.list(), { scope: "process", ...input });
      if (target === undefined) throw new SvcmError("PROCESS_NOT_FOUND", { details: input.name });
      attempt.note({ target: undefined });
      noteProcesses(attempt, ports, [target]);
      requireFinite(target);
      await ports.processes.withLock(target, async () => {
        const now = await findRecord(ports, target);
        if (!isAtRest(now)) throw jobRunning(now);
        await attempt.begin();
        await ports.processes.start(now);
      });
      return await waitForEnd(ports, target, input, caller.signal);
    });
  },
});

function requireFinite({ name, declaration }: ProcessRecord): void {
  if (appKind(declaration.settings) !== "service") return;
  throw new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "NOT_A_JOB",
    details: `${name} is a service: PM2 starts it again after an end, so it has no single run. Accepted: an app with autorestart: false.`,
    hint: `To start it: svcm start ${shellQuote(name)}`,
  });
}

async function waitForEnd(
  ports: ApplyPorts,
  target: ProcessRecord,
  { timeoutMs = DEFAULT_RUN_MS }: InputOf<"process.run">,
  signal: AbortSignal | undefined,
): Promise<ProcessRunResult> {
  const { clock } = ports;
  const startedMs = clock.elapsed();
  for (;;) {
    const record = await findRecord(ports, target);
    const hasBegun = record.lastStartAt !== target.lastStartAt;
    const isOver = clock.elapsed() - startedMs >= timeoutMs;
    if ((hasBegun && isAtRest(record)) || isOver) {
      const state = (await readStateOf(ports, [record]))(record);
      const { name, pmId } = record;
      return { name, pmId, ...runResult(record, state, clock.elapsed() - startedMs) };
    }
    await clock.sleep(POLL_INTERVAL_MS, signal);
  }
}

async function findRecord({ processes }: HasProcesses, { pmId, name }: ProcessRecord): Promise<ProcessRecord> {
  const found = (await processes.list()).find((one) => one.pmId === pmId && one.name === name);
  if (found !== undefined) return found;
  const details = `PM2 no longer lists ${name} (id ${pmId}).`;
  throw new SvcmError("PM2_FAILED", { code: "PROCESS_CHANGED", details });
}

type RunResult = Omit<ProcessRunResult, "name" | "pmId">;

function runResult(record: ProcessRecord, { problem }: ProcessState, ms: number): RunResult {
  const rounded = Math.round(ms);
  if (!isAtRest(record)) {
    const details = `It still runs after ${Math.round(ms / 1000)} s, and svcm leaves it running. ${problem?.details ?? "A script that ends without process.exit() can stay online under PM2."}`;
    return { outcome: "running", exitCode: null, details, ms: rounded };
  }
  if (problem?.code === "JOB_FAILED")
    return { outcome: "failed", exitCode: record.exitCode, details: problem.details, ms: rounded };
  if (record.execMode !== "cluster")
    return { outcome: "succeeded", exitCode: 0, details: "It ended with exit code 0.", ms: rounded };
  const details = "It ended without an error in its log. In cluster mode PM2 does not record whether it succeeded.";
  return { outcome: "unknown", exitCode: 0, details, ms: rounded };
}
