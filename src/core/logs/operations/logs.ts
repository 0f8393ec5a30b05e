import type { HasLogs } from "../port-logs.ts";
import type { LogsResponse, LogUsageResponse, LogPruneResponse } from "../../api/logs.ts";
import { defineOperation } from "../../access/operation.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { HasLogCare, LogSurvey } from "../care/port-log-care.ts";
import { usageOf } from "../care/usage.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit } from "../../access/with-audit.ts";
import { FileError } from "../../files/port-files.ts";
import { KEPT_WORDS, planPrune, tailBytes, type PrunePlan } from "../care/prune.ts";

/** Returns the newest matching lines. @throws {SvcmError} as `Logs.read` */
export const logsRead = defineOperation({
  id: "logs.read",
  access: "logs",
  run: (ports: HasLogs, query, { source, signal }): Promise<LogsResponse> =>
    ports.logs.read({ ...query, readsFiles: source === "cli" }, signal),
});

/** Sizes, growth and rotation of PM2's logs. Reads no line of them. */
export const logsUsage = defineOperation({
  id: "logs.usage",
  access: "read",
  async run({ logCare, facts }: HasLogCare & HasFacts): Promise<LogUsageResponse> {
    const [survey, project] = await Promise.all([logCare.look(), facts.project()]);
    return usageOf(survey, project?.logs);
  },
});

/**
 * Removes what svcm has rotated, and, with `heads`, older lines of logs without a copy. The lines that `svcm why` reads stay. PM2
 * then opens its logs again if the disk was full, or if it writes to deleted ones.
 * @throws {SvcmError} AUDIT_FAILED, PM2_FAILED
 */
export const logsPrune = defineOperation({
  id: "logs.prune",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports: Audited & HasLogCare, { apply, heads, freeBytes }, caller): Promise<LogPruneResponse> {
    const survey = await ports.logCare.look();
    const plan = planPrune(survey, { ...(heads && { heads }), ...(freeBytes !== undefined && { freeBytes }) });
    const mustReopen = survey.fullDiskMs !== null || survey.deleted.length > 0;
    const isNothing = plan.files.length === 0 && plan.heads.length === 0 && !mustReopen;
    if (!apply || isNothing) return planned(plan, survey, { apply, mustReopen });
    return await withAudit(ports, caller, { action: "logs.prune", target: survey.home }, async ({ begin }) => {
      await begin();
      const answer = await prune(ports, plan);
      if (mustReopen) await ports.logCare.reopen();
      return { ...answer, reopened: mustReopen };
    });
  },
});

function planned(
  { files, heads }: PrunePlan,
  { deleted }: LogSurvey,
  { apply, mustReopen }: { readonly apply: boolean; readonly mustReopen: boolean },
): LogPruneResponse {
  const cut = heads.map((log) => ({ path: log.path, bytes: log.bytes - tailBytes(log) }));
  const freedBytes = sum([...files, ...cut, ...deleted]);
  const removed = files.map(({ path, bytes }) => ({ path, bytes }));
  return { dryRun: !apply, removed, heads: cut, freedBytes, kept: KEPT_WORDS, reopened: mustReopen, problems: [] };
}

/** A failure of one file does not keep the others. */
async function prune({ logCare }: HasLogCare, plan: PrunePlan): Promise<LogPruneResponse> {
  const removed: LogPruneResponse["removed"][number][] = [];
  const heads: LogPruneResponse["heads"][number][] = [];
  const problems: LogPruneResponse["problems"][number][] = [];
  const attempt = async (path: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      problems.push({ path, reason: { code: error.code, details: error.message } });
    }
  };
  for (const { path, bytes } of plan.files)
    await attempt(path, async () => {
      await logCare.remove([path]);
      removed.push({ path, bytes });
    });
  for (const log of plan.heads)
    await attempt(log.path, async () => {
      heads.push({ path: log.path, bytes: await logCare.dropHead(log, tailBytes(log)) });
    });
  const freedBytes = sum([...removed, ...heads]);
  return { dryRun: false, removed, heads, freedBytes, kept: KEPT_WORDS, reopened: false, problems };
}

function sum(list: readonly { readonly bytes: number }[]): number {
  return list.reduce((total, { bytes }) => total + bytes, 0);
}
