import { processWait, type ProcessWaitResponse } from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { showProgress, processArgs, processFlags } from "./terminal/process-action.ts";
import { readTimeout } from "./terminal/numbers.ts";

export default class ProcessWait extends NodeCommand {
  static override hiddenAliases = ["process:wait"];
  static override summary = "Wait until PM2 processes are online.";
  static override description =
    "Exits 0 when each process has been online for one second without a restart, and 1 if the time runs out or PM2 gives up on one. Without a NAME, waits for every process that PM2 knows. Changes nothing.";
  static override examples = [
    "<%= config.bin %> wait api",
    "<%= config.bin %> wait --timeout 2m",
    "<%= config.bin %> wait --namespace backend --json",
  ];
  static override args = processArgs;
  static override flags = processFlags;

  async run() {
    const { args, flags } = await this.parse(ProcessWait);
    const { id: pmIds = [], namespace, timeout } = flags;
    const progress = showProgress(this, `Waiting for ${args.name?.join(", ") ?? "processes"}`, "not all online yet");
    const input = { names: args.name ?? [], pmIds, namespace, timeoutMs: readTimeout(timeout) };
    const response = await this.execute(processWait, input, { signal: this.signal }).finally(progress.end);
    this.log(render(response));
    if (!response.ok) this.setExitCode(1);
    return response;
  }
}

function render({ processes, waitedMs }: ProcessWaitResponse): string {
  if (processes.length === 0) return "PM2 has no processes.";
  const lines = processes.map(({ name, pmId, status, isOnline, problem }) => {
    if (problem !== null)
      return `${name} (id ${pmId}) is ${status === "online" ? "not online" : status}. ${problem.details}`;
    const state = isOnline ? "is online" : `is ${status === "online" ? "not online for one second yet" : status}`;
    return `${name} (id ${pmId}) ${state}.`;
  });
  return [...lines, `Waited ${(waitedMs / 1000).toFixed(1)} s.`].join("\n");
}
