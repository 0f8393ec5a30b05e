import { describe, expect, test } from "vitest";
import {
  selectParts,
  hourOf,
  LIMITS,
  partName,
  findOutdatedParts,
  parsePartName,
  type Part,
} from "../../../src/core/history/parts.ts";

const NOON = Date.UTC(2030, 0, 1, 12);
const HOUR = 3_600_000;

function closedHours(count: number, bytes: number): Part[] {
  return Array.from({ length: count }, (_, back) => hourOf(NOON - (back + 1) * HOUR)).flatMap((hour) =>
    (["steps", "minutes"] as const).map((kind) => ({ hour, kind, bytes, name: partName(hour, kind) })),
  );
}

describe("the files that the history keeps", () => {
  test("steps of the newest 168 hours, minutes of the newest 2160, and always the open hour", () => {
    const open = { hour: hourOf(NOON), kind: "open", bytes: 10, name: partName(hourOf(NOON), "open") } as const;
    const parts = [open, ...closedHours(91 * 24, 10)];
    const gone = new Set(findOutdatedParts(parts, LIMITS));
    const kept = parts.filter((part) => !gone.has(part));
    const count = (kind: Part["kind"]) => kept.filter((part) => part.kind === kind).length;
    expect([count("open"), count("steps"), count("minutes")]).toEqual([1, 168, 2160]);
  });

  test("above the maximum size, the oldest hours are removed", () => {
    const parts = closedHours(100, 100);
    const gone = findOutdatedParts(parts, { ...LIMITS, maxBytes: 5000 });
    const kept = parts.filter((part) => !gone.includes(part));
    expect(kept).toEqual(closedHours(25, 100));
  });

  test("the order of the files does not matter, and the open hour has its share of the size", () => {
    const parts = closedHours(4, 100).filter(({ kind }) => kind === "steps");
    const open = { hour: hourOf(NOON), kind: "open", bytes: 100, name: partName(hourOf(NOON), "open") } as const;
    const mixed = [parts[2]!, open, parts[0]!, parts[3]!, parts[1]!];
    const gone = findOutdatedParts(mixed, { ...LIMITS, maxBytes: 300 });
    expect(gone.map(({ hour }) => hour)).toEqual([parts[2]!.hour, parts[3]!.hour]);
    expect(findOutdatedParts([open], { ...LIMITS, maxBytes: 1 })).toEqual([]);
  });

  test("a clock that jumps ahead does not empty the history", () => {
    const future = Date.UTC(2099, 0, 1);
    const one = { hour: hourOf(future), kind: "steps", bytes: 1, name: partName(hourOf(future), "steps") } as const;
    expect(findOutdatedParts([one, ...closedHours(24, 10)], LIMITS)).toEqual([]);
  });

  test("files that svcm did not name are not part of the history", () => {
    for (const name of ["2030-01-01T12.txt", "x.jsonl", ".recorder.svcm-lock", "2030-01-01T12.jsonl.gz.bak", "..jsonl"])
      expect(parsePartName(name, 1)).toBeUndefined();
    for (const kind of ["open", "steps", "minutes"] as const)
      expect(parsePartName(partName(hourOf(NOON), kind), 1)).toMatchObject({ kind, hour: "2030-01-01T12" });
  });
});

describe("the files that a span needs", () => {
  const span = { fromMs: NOON - 90 * 60_000, toMs: NOON };

  test("for each hour, one kind of file is read, or the other kind if only that one exists", () => {
    const parts = closedHours(3, 1).filter(({ hour, kind }) => hour !== hourOf(NOON - HOUR) || kind === "minutes");
    const names = (wanted: "steps" | "minutes") => selectParts(parts, { ...span, wanted }).map(({ name }) => name);
    expect(names("steps")).toEqual(["2030-01-01T10.jsonl.gz", "2030-01-01T11.minutes.jsonl.gz"]);
    expect(names("minutes")).toEqual(["2030-01-01T10.minutes.jsonl.gz", "2030-01-01T11.minutes.jsonl.gz"]);
  });

  test("an hour is read if the span begins before its end, and ends after its begin", () => {
    const parts = closedHours(3, 1).filter(({ kind }) => kind === "steps");
    const hours = (fromMs: number, toMs: number) =>
      selectParts(parts, { fromMs, toMs, wanted: "steps" }).map(({ hour }) => hour.slice(-2));
    expect(hours(NOON - 2 * HOUR, NOON - HOUR)).toEqual(["10"]);
    expect(hours(NOON - 2 * HOUR - 1, NOON - HOUR + 1)).toEqual(["09", "10", "11"]);
    expect(hours(0, NOON - 2 * HOUR)).toEqual(["09"]);
    expect(hours(NOON - HOUR, NOON)).toEqual(["11"]);
  });

  test("an hour that was opened again is read together with its closed part", () => {
    const hour = hourOf(NOON - HOUR);
    const parts = [...closedHours(1, 1), { hour, kind: "open", bytes: 1, name: partName(hour, "open") } as const];
    expect(selectParts(parts, { ...span, wanted: "minutes" }).map(({ kind }) => kind)).toEqual(["minutes", "open"]);
  });
});
