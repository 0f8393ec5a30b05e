import type { HistoryResponse } from "../api/history.ts";
import { Columns, spanOf } from "../history/columns.ts";
import { chosenParts, extentOf, nameOf, type Part } from "../history/parts.ts";
import { readSeries } from "../history/selectors.ts";
import { MINUTE_MS, parseStep, type Step } from "../history/step.ts";
import { SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import { FileError, type Ports } from "../ports/index.ts";

const HOUR_MS = 3_600_000;
const DEFAULT_POINTS = 500;
const MOST_UNREADABLE = 20;

type Unreadable = HistoryResponse["unreadable"][number];

/** Reads the recorded past; nothing needs to run. @throws {SvcmError} HISTORY_FAILED, INVALID_REQUEST */
export const historyShow = defineOperation({
  id: "history.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input, { signal }): Promise<HistoryResponse> {
    const { to = ports.clock.now(), points = DEFAULT_POINTS } = input;
    const { from = Math.max(0, to - HOUR_MS) } = input;
    if (from >= to)
      throw new SvcmError("INVALID_REQUEST", { details: "from: it is not before to. Accepted: an earlier time." });
    const isChosen = readSeries(input.series);
    const span = spanOf({ from, to, points });
    const parts = await ports.historyFiles.parts().catch(asRefusal);
    const wanted = span.stepMs < MINUTE_MS ? "steps" : "minutes";
    const unreadable: Unreadable[] = [];
    const columns = new Columns(span, isChosen);
    for (const part of chosenParts(parts, { ...span, wanted })) {
      signal?.throwIfAborted();
      for (const step of await stepsIn(ports, part, unreadable)) columns.add(step);
    }
    return {
      ...columns.result(),
      recorder: { ...ports.recorder.state, ...extentOf(parts) },
      unreadable: unreadable.slice(0, MOST_UNREADABLE),
    };
  },
});

/** The steps of a part. Damage is reported, and lines that cannot be read are left out. */
async function stepsIn(ports: Ports, { name, hour, kind }: Part, unreadable: Unreadable[]): Promise<Step[]> {
  try {
    const { lines, damage } = await ports.historyFiles.read(name);
    const steps = lines.map(parseStep);
    const torn = steps.filter((step, at) => step === undefined && !isHeading(lines[at] ?? "")).length;
    if (damage !== undefined || torn > 0)
      unreadable.push({ file: name, lines: torn, code: damage ?? "HISTORY_LINE_TORN" });
    return steps.flatMap((step) => step ?? []);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    // The hour was closed between the list and this read.
    if (error.code === "ENOENT" && kind === "open")
      return stepsIn(ports, { name: nameOf(hour, "steps"), hour, kind: "steps", bytes: 0 }, unreadable);
    unreadable.push({ file: name, lines: 0, code: error.code });
    return [];
  }
}

function isHeading(line: string): boolean {
  return line.startsWith('{"columns":');
}

function asRefusal(error: unknown): never {
  if (!(error instanceof FileError)) throw error;
  throw new SvcmError("HISTORY_FAILED", { code: error.code, path: error.path, details: error.message });
}
