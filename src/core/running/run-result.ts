import type { ProcessRunResult } from "../api/process-run.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isAtRest, type ProcessState } from "./state.ts";

type RunResult = Omit<ProcessRunResult, "name" | "pmId">;

export function runResult(record: ProcessRecord, { problem }: ProcessState, ms: number): RunResult {
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
