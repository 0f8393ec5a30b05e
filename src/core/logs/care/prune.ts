import { baseName } from "../../words/text.ts";
import { type LogSurvey, type SurveyedLog, matchesGlob } from "./log-care.ts";
import type { ErrorCode } from "../../api/issue.ts";
import type { LogUsage } from "../../api/logs.ts";

/** `svcm why` and `svcm events` read PM2's log for the last weeks, and the end of an error log. */
const TAIL_BYTES = { pm2: 8 * 2 ** 20, app: 256 * 2 ** 10 };
export const KEPT_WORDS = "the newest 8 MiB of pm2.log, and the newest 256 KiB of each other log";

/** The newest bytes of a log that svcm never cuts off. */
export function tailBytes({ app, stream }: Pick<SurveyedLog, "app" | "stream">): number {
  return app === null && stream === null ? TAIL_BYTES.pm2 : TAIL_BYTES.app;
}

interface PlannedFile {
  readonly path: string;
  readonly bytes: number;
}

export interface PrunePlan {
  readonly files: readonly PlannedFile[];
  readonly heads: readonly SurveyedLog[];
}

const MIN_HEAD_BYTES = 2 ** 20;

/** First the rotated files of svcm, oldest first, then the heads of logs, largest first, until there is enough. */
export function planPrune(survey: LogSurvey, { heads = false, freeBytes = Number.POSITIVE_INFINITY }): PrunePlan {
  const own = survey.logs.flatMap(({ rotated }) => rotated.filter(({ isOwn }) => isOwn));
  const oldestFirst = own.toSorted((a, b) => (stampOf(a) < stampOf(b) ? -1 : 1));
  let missing = freeBytes;
  const files = takeUntil(
    oldestFirst,
    () => missing > 0,
    ({ bytes }) => (missing -= bytes),
  );
  const large = survey.logs
    .filter((log) => heads && log.bytes - tailBytes(log) >= MIN_HEAD_BYTES && refusalOf(log, survey) === null)
    .toSorted((a, b) => b.bytes - a.bytes);
  return {
    files,
    heads: takeUntil(
      large,
      () => missing > 0,
      (log) => (missing -= log.bytes - tailBytes(log)),
    ),
  };
}

function stampOf({ path }: PlannedFile): string {
  return baseName(path).replace(/^.*\.(?=\d{8}T)/, "");
}

function takeUntil<T>(list: readonly T[], isWanted: () => boolean, take: (one: T) => void): T[] {
  return list.filter((one) => {
    if (!isWanted()) return false;
    take(one);
    return true;
  });
}

export type Rotator = LogUsage["rotatedBy"][number];

export interface Refusal {
  readonly code: ErrorCode;
  readonly details: string;
}

/** Without svcm. pm2-logrotate rotates what PM2 lists, and PM2's own log. */
export function otherRotators({ path, app, stream }: SurveyedLog, survey: LogSurvey): Rotator[] {
  const isListed = app !== null || stream === null;
  const module: Rotator[] =
    survey.hasPm2Logrotate && isListed ? [{ tool: "pm2-logrotate", config: `${survey.home}/module_conf.json` }] : [];
  const rules = survey.logrotate.filter(({ patterns }) => patterns.some((pattern) => matchesGlob(pattern, path)));
  return [...module, ...rules.map(({ file }): Rotator => ({ tool: "logrotate", config: file }))];
}

/** Why svcm does not cut the log. */
export function refusalOf(log: SurveyedLog, survey: LogSurvey): Refusal | null {
  const { path, problem, watchedBy, writers } = log;
  if (problem !== null) return problem;
  if (survey.isHomeOfOther) {
    const details = `${survey.home} belongs to another user. Run the command as that user.`;
    return { code: "LOG_HOME_OF_OTHER_USER", details };
  }
  const [other] = otherRotators(log, survey);
  if (other !== undefined) {
    const where = other.config === null ? "" : ` (${other.config})`;
    return { code: "LOG_ROTATED_ELSEWHERE", details: `${other.tool}${where} rotates ${path}, so svcm does not.` };
  }
  if (watchedBy.length > 0) {
    const details = `PM2 watches the folder of ${path} for ${watchedBy.join(", ")}: a rotated file there would restart it. Move the log with out_file and error_file.`;
    return { code: "LOG_FOLDER_WATCHED", details };
  }
  return writerRefusal(path, writers, survey);
}

export function writerRefusal(
  path: string,
  writers: SurveyedLog["writers"],
  survey: Pick<LogSurvey, "areWritersHidden">,
): Refusal | null {
  const fixed = writers.find(({ isAppending }) => !isAppending);
  if (fixed !== undefined) {
    const details = `${fixed.program} (pid ${fixed.pid}) has ${baseName(path)} open for writing without append, so cutting ${path} would leave a hole.`;
    return { code: "LOG_HELD_WITHOUT_APPEND", details };
  }
  if (!survey.areWritersHidden) return null;
  const details = `svcm cannot see which processes write ${path}. Accepted: Linux, and the user of PM2.`;
  return { code: "LOG_HOLDERS_UNKNOWN", details };
}
