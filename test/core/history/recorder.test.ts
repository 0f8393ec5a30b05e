import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHistoryFiles } from "../../../src/core/history/history-files.node.ts";
import { foreignCode } from "../../../src/core/api/issue.ts";
import { hourOf, partName } from "../../../src/core/history/parts.ts";
import { sealHour } from "../../../src/core/history/recorder.ts";
import { formatStep } from "../../../src/core/history/step.ts";
import { execute, FileError, historyShow } from "../../../src/core/index.ts";
import { countingPorts, type CountingPorts } from "../../support/counting-ports.ts";
import { settled } from "../../support/hand-clock.ts";
import { canMount, mount } from "../../support/machine.ts";
import { historyFolder, stepsBetween, writeHistory } from "../../support/recorded.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const HOUR = 3_600_000;
const caller = { source: "cli", grants: ["read"] } as const;

/** A recorder with a clock of the test. `steps` has the steps on the disk. */
function recording(world: CountingPorts = countingPorts()) {
  const folder = historyFolder(world.root);
  onTestFinished(() => world.ports.recorder.stop());
  const lines = (): string[] =>
    names(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
      .filter((line) => line.startsWith('{"at"'));
  return { world, folder, lines, ...world.ports };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

/** Waits for disk operations until a condition is true. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await settled();
}

describe("the recorder", () => {
  test("records nothing until it is started", async () => {
    const { world, folder } = recording();
    await world.clock.advance(60_000);
    expect(names(folder)).toEqual([]);
    expect(world.counts.host).toBe(0);
  });

  test("writes a step every ten seconds, readable only by its owner and ignored by Git", async () => {
    const { world, folder, lines, recorder } = recording();
    recorder.start("flag");
    await until(() => lines().length === 1);
    for (let count = 2; count <= 4; count += 1) {
      await world.clock.advance(10_000);
      await until(() => lines().length === count);
    }
    const [first, second] = lines().map((line) => JSON.parse(line) as { at: string; processes: object });
    expect(Date.parse(second!.at) - Date.parse(first!.at)).toBe(10_000);
    expect(second!.processes).toEqual({ "api/0": [25, 100, 0, 0, 0] });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of names(folder).filter((one) => one.endsWith(".jsonl")))
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "../.gitignore"), "utf8")).toBe("*\n");
  });

  test("closes an hour when it is over: gzipped steps and minutes, readable without svcm", async () => {
    const { world, folder, lines, recorder } = recording();
    const hour = hourOf(world.clock.now());
    recorder.start("flag");
    await until(() => lines().length === 1);
    await world.clock.advance(10_000);
    await until(() => lines().length === 2);
    await world.clock.advance(HOUR);
    await until(
      () => names(folder).includes(partName(hour, "minutes")) && !names(folder).includes(partName(hour, "open")),
    );
    const text = gunzipSync(readFileSync(join(folder, partName(hour, "steps")))).toString();
    const [heading, ...steps] = text.trim().split("\n");
    expect(JSON.parse(heading!)).toHaveProperty("columns.processes");
    expect(steps).toHaveLength(2);
    const minutes = gunzipSync(readFileSync(join(folder, partName(hour, "minutes")))).toString();
    expect(JSON.parse(minutes.trim().split("\n")[1]!)).toMatchObject({ host: [[50, 50], [40, 40], null] });
  });

  test("ends after the current step, and can start again", async () => {
    const { lines, recorder, world } = recording();
    recorder.start("request");
    expect(recorder.state).toMatchObject({ on: true, by: "request" });
    await until(() => lines().length === 1);
    await recorder.stop();
    expect(recorder.state).toEqual({ on: false, by: null, problem: null });
    await world.clock.advance(60_000);
    expect(lines()).toHaveLength(1);
    recorder.start("flag");
    await until(() => lines().length === 2);
  });

  test("a second recorder waits, reports the active one, and takes over when that one ends", async () => {
    const first = recording();
    first.recorder.start("flag");
    await until(() => first.lines().length === 1);
    const second = countingPorts();
    const files = nodeHistoryFiles(first.folder);
    Object.assign(second.ports, { historyFiles: files });
    second.ports.recorder.start("flag");
    onTestFinished(() => second.ports.recorder.stop());
    await until(() => second.ports.recorder.state.problem !== null);
    expect(second.ports.recorder.state.problem).toMatchObject({ code: "ELOCKED" });
    expect(second.ports.recorder.state.problem?.details).toContain(String(process.pid));
    expect(first.lines()).toHaveLength(1);
    await first.recorder.stop();
    await second.clock.advance(60_000);
    await until(() => first.lines().length === 2 && second.ports.recorder.state.problem === null);
  });

  test("a step that cannot be written is reported in the state, and the next step is tried", async () => {
    const { world, lines, recorder, historyFiles } = recording();
    let isFull = true;
    const append: typeof historyFiles.append = async (name, some) => {
      if (isFull) throw new FileError(foreignCode("ENOSPC"), name, "no space is left on the disk");
      await nodeHistoryFiles(historyFolder(world.root)).append(name, some);
    };
    Object.assign(world.ports, { historyFiles: { ...historyFiles, append } });
    recorder.start("flag");
    await until(() => recorder.state.problem !== null);
    expect(recorder.state.problem).toEqual({ code: "ENOSPC", details: "no space is left on the disk" });
    isFull = false;
    await world.clock.advance(10_000);
    await until(() => lines().length === 1 && recorder.state.problem === null);
  });

  test.skipIf(!canMount)(
    "on a full disk the recorder continues and reports it, and records again when there is space",
    async () => {
      const { world, folder, lines, recorder } = recording();
      mount(folder, "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs");
      recorder.start("flag");
      await until(() => lines().length === 1);
      const filler = join(folder, "filler");
      expect(() => writeFileSync(filler, Buffer.alloc(65_536))).toThrow("ENOSPC");
      const next = async (): Promise<void> => {
        const known = lines().length;
        await world.clock.advance(10_000);
        await until(() => lines().length > known || recorder.state.problem !== null);
      };
      // The last page of the file has room for some steps.
      while (recorder.state.problem === null) await next();
      expect(recorder.state).toMatchObject({ on: true, problem: { code: "ENOSPC" } });
      const full = lines().length;
      rmSync(filler);
      await world.clock.advance(10_000);
      await until(() => lines().length > full && recorder.state.problem === null);
      await recorder.stop();
      const torn = lines().filter((line) => !line.endsWith("}"));
      expect(torn.length).toBeLessThanOrEqual(1);
      for (const line of lines().filter((whole) => !torn.includes(whole))) JSON.parse(line);
    },
  );

  test("a clock that is set back by an hour opens that hour again, and closing it merges both parts", async () => {
    const { world, folder, lines, recorder } = recording();
    const hour = hourOf(world.clock.now());
    recorder.start("flag");
    await until(() => lines().length === 1);
    await world.clock.advance(HOUR);
    await until(
      () => names(folder).includes(partName(hour, "minutes")) && !names(folder).includes(partName(hour, "open")),
    );
    world.clock.set(-HOUR + 5000);
    await world.clock.advance(10_000);
    await until(() => names(folder).includes(partName(hour, "open")));
    await world.clock.advance(HOUR);
    await until(() => !names(folder).includes(partName(hour, "open")));
    const steps = gunzipSync(readFileSync(join(folder, partName(hour, "steps"))))
      .toString()
      .trim()
      .split("\n")
      .slice(1);
    expect(steps).toHaveLength(2);
  });
});

describe("reading the history", () => {
  const noon = Date.UTC(2030, 0, 1, 12);
  const show = (world: CountingPorts, from: number, to: number) =>
    execute(historyShow, world.ports, { series: "api:memoryBytes", from, to, points: 360 }, caller);

  test("without a record, the answer is empty and has the state of the recorder", async () => {
    const world = countingPorts();
    const { series, gaps, recorder, unreadable } = await show(world, noon - HOUR, noon);
    expect({ series, gaps, recorder, unreadable }).toEqual({
      series: [],
      gaps: [[noon - HOUR, noon]],
      recorder: { on: false, by: null, problem: null, since: null, bytes: 0 },
      unreadable: [],
    });
  });

  test("closed hours and the open one are one history", async () => {
    const world = countingPorts();
    writeHistory(world.root, stepsBetween(noon - HOUR / 2, noon + HOUR / 2), noon);
    const { series, gaps, recorder } = await show(world, noon - HOUR / 2, noon + HOUR / 2);
    expect(series[0]?.mean.every((value) => value !== null)).toBe(true);
    expect(gaps).toEqual([]);
    expect(recorder.since).toBe(noon - HOUR / 2);
  });

  test("truncated lines and damaged files are reported, and everything else is in the answer", async () => {
    const world = countingPorts();
    const folder = historyFolder(world.root);
    writeHistory(world.root, stepsBetween(noon - 2 * HOUR, noon + HOUR / 2), noon);
    appendFileSync(join(folder, partName(hourOf(noon), "open")), '{"at":"2030-01-01T12:30:00');
    const cut = join(folder, partName(hourOf(noon - HOUR), "steps"));
    truncateSync(cut, Math.floor(statSync(cut).size / 2));
    writeFileSync(join(folder, partName(hourOf(noon - 2 * HOUR), "steps")), "no gzip");
    const { series, unreadable } = await show(world, noon - 2 * HOUR, noon + HOUR / 2);
    const known = series[0]?.mean.filter((value) => value !== null).length ?? 0;
    expect(known).toBeGreaterThan(360 / 5);
    expect(unreadable).toEqual([
      { file: "2030-01-01T10.jsonl.gz", lines: 0, code: "HISTORY_PART_DAMAGED" },
      { file: "2030-01-01T11.jsonl.gz", lines: 1, code: "HISTORY_PART_DAMAGED" },
      { file: "2030-01-01T12.jsonl", lines: 1, code: "HISTORY_LINE_TORN" },
    ]);
  });

  test("a step after a truncated line is complete", async () => {
    const folder = temporaryFolder();
    const [first, second] = stepsBetween(noon, noon + 20_000).map(formatStep);
    const name = partName(hourOf(noon), "open");
    writeFileSync(join(folder, name), `${first}\n{"at":"20`);
    await nodeHistoryFiles(folder).append(name, [second!]);
    expect(readFileSync(join(folder, name), "utf8").split("\n")).toEqual([first, '{"at":"20', second, ""]);
  });

  test("a crash between closing an hour and removing its open file duplicates no step", async () => {
    const folder = temporaryFolder();
    const files = nodeHistoryFiles(folder);
    const lines = stepsBetween(noon, noon + 60_000).map(formatStep);
    const hour = hourOf(noon);
    writeFileSync(join(folder, partName(hour, "open")), `${lines.join("\n")}\n`);
    writeFileSync(join(folder, partName(hour, "steps")), gzipSync(`${lines.slice(0, 4).join("\n")}\n`));
    mkdirSync(join(folder, "other"));
    await files.withLock(() => sealHour(files, hour));
    const text = gunzipSync(readFileSync(join(folder, partName(hour, "steps")))).toString();
    expect(text.trim().split("\n").slice(1)).toEqual(lines);
    expect(names(folder)).toEqual(["2030-01-01T12.jsonl.gz", "2030-01-01T12.minutes.jsonl.gz", "other"]);
  });
});

test("the next recorder removes what a killed one left, and nothing else", async () => {
  const folder = temporaryFolder();
  const kept = [partName("2030-01-01T11", "steps"), "notes.txt"];
  for (const name of [...kept, `${kept[0]}.svcm-new.4711`]) writeFileSync(join(folder, name), "");
  const seen = await nodeHistoryFiles(folder).withLock(async () =>
    names(folder).filter((name) => !name.startsWith(".recorder")),
  );
  expect(seen).toEqual(kept.toSorted());
});
