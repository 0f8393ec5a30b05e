import { baseName } from "../../words/path.ts";
import type { LogSurvey, SurveyedLog } from "./port-log-care.ts";
import { refusalOf } from "./verdict.ts";

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
