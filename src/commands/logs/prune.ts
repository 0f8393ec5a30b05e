import * as Flags from "@oclif/core/flags";
import { bytesText, logsPrune, SvcmError, type LogPruneResponse } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { canPrompt, confirm, requirePrompt, yesFlag } from "../terminal/prompt.ts";

export default class LogsPrune extends SvcmCommand {
  static override summary = "Free disk space: remove the rotated files of svcm, and older lines of logs.";
  static override description =
    "Removes the rotated files that svcm made, oldest first. With --heads, also cuts older lines off the logs, without a copy, which works on a full disk. The newest 8 MiB of pm2.log and the newest 256 KiB of each other log stay, because svcm why reads them. If the disk was full, or if PM2 writes to deleted logs, PM2 then opens its logs again. In a terminal, svcm asks first; elsewhere it needs --yes. A log of an app named prune: svcm logs -- prune.";
  static override examples = [
    "<%= config.bin %> logs prune --dry-run",
    "<%= config.bin %> logs prune --free 2G --yes",
    "<%= config.bin %> logs prune --heads",
  ];
  static override flags = {
    "dry-run": Flags.boolean({ summary: "Show what would be removed, and remove nothing.", default: false }),
    heads: Flags.boolean({ summary: "Also cut off older lines of logs, without a copy.", default: false }),
    free: Flags.string({ summary: "Stop after this much is freed, for example 500M or 2G.", helpValue: "<size>" }),
    yes: yesFlag,
  };

  async run() {
    const { flags } = await this.parse(LogsPrune);
    const { heads, free } = flags;
    const input = { heads, ...(free !== undefined && { freeBytes: readAmount(free) }) };
    if (flags["dry-run"] || !flags.yes) {
      if (!flags["dry-run"]) requirePrompt(canPrompt(this), "svcm logs prune", "--yes or --dry-run");
      const plan = await this.execute(logsPrune, { ...input, apply: false });
      this.print(() => renderPrune(plan));
      if (flags["dry-run"] || isNothing(plan) || !(await confirm("Remove?"))) return plan;
    }
    const answer = await this.execute(logsPrune, { ...input, apply: true });
    this.print(() => renderPrune(answer));
    if (answer.problems.length > 0) this.setExitCode(3);
    return answer;
  }
}

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** @throws {SvcmError} INVALID_REQUEST */
function readAmount(text: string): number {
  const [, digits, unit = ""] = /^([1-9]\d{0,5})([KMG])$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * (UNITS[unit] ?? 0);
  throw new SvcmError("INVALID_REQUEST", {
    details: `--free: ${JSON.stringify(text)} is not a size. Accepted: for example 500M or 2G.`,
  });
}

function isNothing({ removed, heads, reopened }: LogPruneResponse): boolean {
  return removed.length === 0 && heads.length === 0 && !reopened;
}

function renderPrune(answer: LogPruneResponse): string {
  const { dryRun, removed, heads, freedBytes, kept, reopened, problems } = answer;
  if (isNothing(answer) && problems.length === 0)
    return `Nothing to remove. Kept: ${kept}.\nOlder lines of logs go with --heads. Files of apps that PM2 no longer lists: svcm logs usage`;
  const verb = dryRun ? "Would remove" : "Removed";
  return [
    ...removed.map(({ path, bytes }) => `${verb} ${path} (${bytesText(bytes)})`),
    ...heads.map(({ path, bytes }) => `${dryRun ? "Would cut" : "Cut"} ${bytesText(bytes)} of older lines off ${path}`),
    ...problems.map(({ path, reason }) => `Failed: ${path}: ${reason.details}`),
    ...(reopened ? [dryRun ? "PM2 would open its logs again." : "PM2 opened its logs again."] : []),
    `${dryRun ? "Would free" : "Freed"} ${bytesText(freedBytes)}. Kept: ${kept}.`,
  ].join("\n");
}
