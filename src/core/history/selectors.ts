import { hostHistoryMetrics, processHistoryMetrics } from "../api/names.ts";
import { SvcmError } from "../api/errors.ts";

export interface SeriesName {
  /** Null for the host. */
  readonly app: string | null;
  readonly pmId: number | null;
  readonly metric: string;
  readonly column: number;
}

export interface SeriesSelector {
  readonly isHost: boolean;
  /** Absent for every process. */
  readonly app?: string | undefined;
  readonly pmId?: number | undefined;
  readonly metric?: string | undefined;
}

export type SeriesFilter = (series: SeriesName) => boolean;

const ACCEPTED =
  "host, the name of a process, its name and PM2 id such as api/0, or * for every process, each with or without a metric such as :memoryBytes; several with a comma between them";
const metrics: readonly string[] = [...new Set([...hostHistoryMetrics, ...processHistoryMetrics])];

/**
 * Parses a text such as `host,orders-api/0:memoryBytes`; special characters of a name are percent-encoded.
 * @param text `undefined` or empty selects every series
 * @throws {SvcmError} INVALID_REQUEST
 */
export function parseSelectors(text: string | undefined): readonly SeriesSelector[] {
  return text === undefined ? [] : text.split(",").map(parseSelector);
}

export function seriesFilter(selectors: readonly SeriesSelector[]): SeriesFilter {
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

function parseSelector(text: string): SeriesSelector {
  const [, encodedName = "", id, metric] = /^([^/:]+)(?:\/(\d{1,9}))?(?::(\w+))?$/.exec(text) ?? [];
  const name = decodeName(encodedName);
  if (name === undefined || (metric !== undefined && !metrics.includes(metric))) throw seriesRefusal(text);
  if (encodedName === "host" && id === undefined) return { isHost: true, metric };
  const pmId = id === undefined ? undefined : Number(id);
  return { isHost: false, app: encodedName === "*" ? undefined : name, pmId, metric };
}

export function encodeSeriesApp(app: string): string {
  return app === "host" ? "%68ost" : encodeURIComponent(app).replaceAll("*", "%2A");
}

function decodeName(text: string): string | undefined {
  try {
    return text === "" ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function seriesRefusal(text: string): SvcmError {
  const excerpt = JSON.stringify(text.slice(0, 80));
  return new SvcmError("INVALID_REQUEST", {
    details: `series: ${excerpt} is not a series. Accepted: ${ACCEPTED}. Metrics: ${metrics.join(", ")}.`,
  });
}
