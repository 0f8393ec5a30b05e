import * as Flags from "@oclif/core/flags";
import { LOG_SIZE, LOG_SIZE_WORDS } from "../../core/api/names.ts";
import { bytesText, logsRotate, SvcmError, type LogRotationResponse } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";

/** Another tool cares for the log, so nothing is wrong. */
const FINE = "LOG_ROTATED_ELSEWHERE";

export default class LogsRotate extends SvcmCommand {
  static override summary = "Cut off the head of each log that is too large, without losing a line.";
  static override description =
    "Reads logs of svcm.yaml: maxSize, keep, compress. Copies the head, and cuts it off in place while the processes write on; the newest lines stay for svcm why. If the file system cannot do that, svcm copies the log and empties it, and the answer says ROTATE_MAY_LOSE. A log that another tool rotates, or that is open without append, is left alone. Exits 1 if a log was refused or failed. For a timer; svcm serve does the same by itself. A log of an app named rotate: svcm logs -- rotate.";
  static override examples = [
    "<%= config.bin %> logs rotate --max-size 50M --dry-run",
    "<%= config.bin %> logs rotate --max-size 50M --keep 5",
  ];
  static override flags = {
    "dry-run": Flags.boolean({ summary: "Show which logs are too large, and cut off nothing.", default: false }),
    "max-size": Flags.string({
      summary: "From 100K to 60M, instead of logs.maxSize of svcm.yaml.",
      helpValue: "<size>",
    }),
    keep: Flags.integer({ summary: "Rotated files of each log to keep.", min: 1, max: 1000, helpValue: "<number>" }),
  };

  async run() {
    const { flags } = await this.parse(LogsRotate);
    const { "dry-run": dryRun, "max-size": maxSize, keep } = flags;
    if (maxSize !== undefined) requireSize(maxSize);
    const answer = await this.execute(logsRotate, { dryRun, maxSize, keep }, { signal: this.signal });
    this.print(() => renderRotation(answer));
    const isProblem = answer.logs.some(
      ({ outcome, reason }) => outcome === "failed" || (outcome === "refused" && reason?.code !== FINE),
    );
    if (isProblem) this.setExitCode(1);
    return answer;
  }
}

/** @throws {SvcmError} INVALID_REQUEST */
function requireSize(text: string): void {
  if (LOG_SIZE.test(text)) return;
  throw new SvcmError("INVALID_REQUEST", {
    details: `--max-size: ${JSON.stringify(text)} is not a size. Accepted: ${LOG_SIZE_WORDS}.`,
  });
}

function renderRotation({ logs, checked, maxBytes, dryRun }: LogRotationResponse): string {
  const limit = bytesText(maxBytes);
  if (checked === 0) return "PM2 has no logs yet.";
  if (logs.length === 0) return `None of ${checked} logs has ${limit} or more.`;
  const lines = logs.map((log) =>
    [rotationLine(log), ...(log.reason === null ? [] : [`  ${log.reason.details} (${log.reason.code})`])].join("\n"),
  );
  return [...lines, ...(dryRun ? ["Nothing was changed. Next: svcm logs rotate"] : [])].join("\n");
}

function rotationLine({ path, outcome, bytes, files, removed }: LogRotationResponse["logs"][number]): string {
  const old = removed.length === 0 ? "" : `, ${removed.length} older removed`;
  switch (outcome) {
    case "rotated":
      return `Rotated ${path}: ${bytesText(bytes)} in ${files.length} ${files.length === 1 ? "file" : "files"}${old}.`;
    case "finished":
      return `Finished the interrupted rotation of ${path}.`;
    case "due":
      return `${path} has ${bytesText(bytes)} and would be rotated.`;
    case "refused":
      return `Left alone: ${path}, ${bytesText(bytes)}.`;
    case "failed":
      return `Failed: ${path}.`;
  }
}
