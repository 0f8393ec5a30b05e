import type { HasWorkspace } from "../../project/port-repository.ts";
import { type HasClock, type HasHost, FileError } from "../../files/ports.ts";
import type { HasHistoryFiles, HasPrometheus, HasRecorder } from "../port-history.ts";
import type { HistoryColumns, HistoryResponse, RecorderResponse } from "../../api/history.ts";
import { alignSpan, ColumnBuilder } from "../columns.ts";
import { readExtent } from "../extent.ts";
import { type Part, partName, selectParts } from "../parts.ts";
import { rangeQuery, toSteps } from "../range-query.ts";
import { parseSelectors, seriesFilter, type SeriesSelector } from "../selectors.ts";
import { MINUTE_MS, parseStep, type Step } from "../step.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { serverIdentity } from "../../access/server-identity.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit } from "../../access/with-audit.ts";

/** The ports of the larger functions of this room. */
interface HistoryPorts extends HasClock, HasHistoryFiles, HasHost, HasPrometheus, HasRecorder, HasWorkspace {}

/** Switches the recorder on or off until the server stops. `record: true` in svcm.yaml switches it on at each start. */
export const historyRecord = defineOperation({
  id: "history.record",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports: Audited & HasHistoryFiles & HasRecorder, { on }, caller): Promise<RecorderResponse> {
    const { recorder, historyFiles } = ports;
    await withAudit(ports, caller, { action: "history.record", target: on ? "on" : "off" }, async ({ begin }) => {
      if (recorder.state.on === on) return;
      await begin();
      if (on) recorder.start("request");
      else await recorder.stop();
    });
    return { ...recorder.state, ...(await readExtent(historyFiles, await historyFiles.list())) };
  },
});

const HOUR_MS = 3_600_000;
const DEFAULT_POINTS = 500;
const MAX_UNREADABLE = 20;

type Unreadable = HistoryResponse["unreadable"][number];

interface Range {
  readonly from: number;
  readonly to: number;
  readonly points: number;
  readonly selectors: readonly SeriesSelector[];
}

/**
 * Reads the recorded history; nothing needs to be running. If the range begins before the recording, or has no recorded
 * data, it comes from Prometheus, if configured.
 * @throws {SvcmError} HISTORY_FAILED, INVALID_REQUEST
 */
export const historyShow = defineOperation({
  id: "history.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HistoryPorts, input, { signal }): Promise<HistoryResponse> {
    const { to = ports.clock.now(), points = DEFAULT_POINTS } = input;
    const { from = Math.max(0, to - HOUR_MS) } = input;
    if (from >= to)
      throw new SvcmError("INVALID_REQUEST", {
        details: "from: the time is not before to. Accepted: an earlier time.",
      });
    const range = { from, to, points, selectors: parseSelectors(input.series) };
    const parts = await ports.historyFiles.list().catch(throwRefusal);
    const extent = await readExtent(ports.historyFiles, parts);
    const unreadable: Unreadable[] = [];
    const beginsBeforeRecording = extent.since === null || extent.since > from;
    const recorded =
      beginsBeforeRecording && ports.prometheus.isConfigured
        ? undefined
        : await fromFiles(ports, range, parts, { unreadable, signal });
    const usesPrometheus = ports.prometheus.isConfigured && (recorded === undefined || recorded.series.length === 0);
    return {
      ...(recorded === undefined || usesPrometheus ? await fromPrometheus(ports, range, signal) : recorded),
      recorder: { ...ports.recorder.state, ...extent },
      unreadable: unreadable.slice(0, MAX_UNREADABLE),
    };
  },
});

async function fromFiles(
  ports: HasHistoryFiles,
  { selectors, ...range }: Range,
  parts: readonly Part[],
  { unreadable, signal }: { readonly unreadable: Unreadable[]; readonly signal: AbortSignal | undefined },
): Promise<HistoryColumns> {
  const span = alignSpan(range);
  const wanted = span.stepMs < MINUTE_MS ? "steps" : "minutes";
  const columns = new ColumnBuilder(span, seriesFilter(selectors));
  for (const part of selectParts(parts, { ...span, wanted })) {
    signal?.throwIfAborted();
    for (const step of await stepsIn(ports, part, unreadable)) columns.add(step);
  }
  return columns.result();
}

async function fromPrometheus(
  ports: HasHost & HasPrometheus & HasWorkspace,
  { selectors, ...range }: Range,
  signal: AbortSignal | undefined,
): Promise<HistoryColumns> {
  const span = alignSpan({ ...range, minStepMs: MINUTE_MS });
  const query = rangeQuery(span, selectors, await serverIdentity(ports));
  const columns = new ColumnBuilder(span, seriesFilter(selectors), span.stepMs);
  for (const step of toSteps(await ports.prometheus.queryRange(query, signal), span)) columns.add(step);
  return columns.result();
}

/** The steps of a file. Reports damage and skips lines that cannot be read. */
async function stepsIn(ports: HasHistoryFiles, { name, hour, kind }: Part, unreadable: Unreadable[]): Promise<Step[]> {
  try {
    const { lines, damage } = await ports.historyFiles.read(name);
    const steps = lines.map(parseStep);
    const torn = steps.filter((step, at) => step === undefined && !(lines[at] ?? "").startsWith('{"columns":')).length;
    if (damage !== undefined || torn > 0)
      unreadable.push({ file: name, lines: torn, code: damage ?? "HISTORY_LINE_TORN" });
    return steps.flatMap((step) => step ?? []);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    // The hour was closed after the files were listed.
    if (error.code === "ENOENT" && kind === "open")
      return stepsIn(ports, { name: partName(hour, "steps"), hour, kind: "steps", bytes: 0 }, unreadable);
    unreadable.push({ file: name, lines: 0, code: error.code });
    return [];
  }
}

function throwRefusal(error: unknown): never {
  if (!(error instanceof FileError)) throw error;
  throw new SvcmError("HISTORY_FAILED", { code: error.code, path: error.path, details: error.message });
}
