import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import { SvcmError } from "../errors.ts";

export interface SeriesName {
  /** Null for the host. */
  readonly app: string | null;
  readonly pmId: number | null;
  readonly metric: string;
  readonly column: number;
}

/** One entry of `series`. */
export interface SeriesSelector {
  readonly isHost: boolean;
  /** Absent for every process. */
  readonly app?: string | undefined;
  readonly pmId?: number | undefined;
  readonly metric?: string | undefined;
}

export type Choice = (series: SeriesName) => boolean;

const ACCEPTED =
  "host, the name of a process, its name and PM2 id such as api/0, or * for every process, each with or without a metric such as :memoryBytes; several with a comma between them";
const metrics: readonly string[] = [...new Set([...hostHistoryMetrics, ...processHistoryMetrics])];

/**
 * Parses a text such as `host,orders-api/0:memoryBytes`; special characters of a name are percent-encoded.
 * @param text `undefined` or empty selects every series
 * @throws {SvcmError} INVALID_REQUEST
 */
export function readSeries(text: string | undefined): readonly SeriesSelector[] {
  return text === undefined ? [] : text.split(",").map(readOne);
}

export function choiceOf(selectors: readonly SeriesSelector[]): Choice {
  return ({ app, pmId, metric }) =>
    selectors.length === 0 ||
    selectors.some(
      (one) =>
        one.isHost === (app === null) &&
        (one.app ?? app) === app &&
        (one.pmId ?? pmId) === pmId &&
        (one.metric ?? metric) === metric,
    );
}

function readOne(text: string): SeriesSelector {
  const [, given = "", id, metric] = /^([^/:]+)(?:\/(\d{1,9}))?(?::(\w+))?$/.exec(text) ?? [];
  const name = decoded(given);
  if (name === undefined || (metric !== undefined && !metrics.includes(metric))) throw unreadable(text);
  if (given === "host" && id === undefined) return { isHost: true, metric };
  const pmId = id === undefined ? undefined : Number(id);
  return { isHost: false, app: given === "*" ? undefined : name, pmId, metric };
}

export function seriesOf(app: string): string {
  return app === "host" ? "%68ost" : encodeURIComponent(app).replaceAll("*", "%2A");
}

function decoded(text: string): string | undefined {
  try {
    return text === "" ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function unreadable(text: string): SvcmError {
  const shown = JSON.stringify(text.slice(0, 80));
  return new SvcmError("INVALID_REQUEST", {
    details: `series: ${shown} is not a series. Accepted: ${ACCEPTED}. Metrics: ${metrics.join(", ")}.`,
  });
}
