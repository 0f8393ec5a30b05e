/** A full log continues in a new file without losing a record. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { auditLog } from "../../../src/core/access/audit-log.node.ts";
import { commandLine, run, start } from "../../support/child.ts";
import { newestRecord, recordOf } from "../../support/records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { longTest } from "../../support/runs.ts";

const LINE = `${JSON.stringify(recordOf("00"))}\n`;
const recordsOf = (file: string): string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => (JSON.parse(line) as { id: string }).id);

function setUp({ lines, kept = 10 }: { lines: number; kept?: number }) {
  const folder = temporaryFolder();
  const file = join(folder, "audit.jsonl");
  const log = auditLog({ file, rotation: { maxBytes: lines * LINE.length, maxOldFiles: kept } });
  const append = async (from: number, to: number) => {
    for (let at = from; at <= to; at += 1) await log.append(recordOf(String(at).padStart(2, "0")));
  };
  return { folder, file, log, append, names: () => readdirSync(folder).toSorted() };
}

test("a full log is renamed and still read", async () => {
  const { file, log, append, names } = setUp({ lines: 2 });
  await append(1, 5);
  expect(names()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
  expect([file, `${file}.1`, `${file}.2`].map(recordsOf)).toEqual([["05"], ["03", "04"], ["01", "02"]]);
  expect((await newestRecord(log, 10)).map(({ id }) => id)).toEqual(["05", "04", "03", "02", "01"]);
  expect((await newestRecord(log, 3)).map(({ id }) => id)).toEqual(["05", "04", "03"]);
});

test("the number of older files is limited, and the oldest is removed first", async () => {
  const { log, append, names } = setUp({ lines: 1, kept: 2 });
  await append(1, 6);
  expect(names()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
  expect((await newestRecord(log, 10)).map(({ id }) => id)).toEqual(["06", "05", "04"]);
});

test("a program that asks without end pushes no change out of its log, and is read only if that is requested", async () => {
  const { log, append, file } = setUp({ lines: 2, kept: 1 });
  await append(1, 2);
  for (let at = 10; at < 30; at += 1) await log.append(recordOf(String(at), { action: "mcp.call" }));
  expect(recordsOf(file)).toEqual(["01", "02"]);
  const ids = async (calls?: boolean) =>
    (await log.newest({ limit: 90, calls })).records.map(({ id }) => id).toSorted();
  expect(await ids()).toEqual(["01", "02"]);
  expect(await ids(false)).toEqual(["01", "02"]);
  const all = await ids(true);
  expect([all.slice(0, 2), all.at(-1)]).toEqual([["01", "02"], "29"]);
  expect(all.length).toBeLessThan(9);
});

test("if a rotation was killed, the missing number is filled without losing a record", async () => {
  const { file, log, append, names } = setUp({ lines: 1, kept: 3 });
  writeFileSync(`${file}.2`, LINE.replace("00", "01"));
  writeFileSync(`${file}.3`, LINE.replace("00", "00"));
  await append(2, 3);
  expect(names()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2", "audit.jsonl.3"]);
  expect((await newestRecord(log, 10)).map(({ id }) => id)).toEqual(["03", "02", "01", "00"]);
});

test("a log that cannot be renamed keeps growing", async () => {
  const { file, append, names } = setUp({ lines: 1 });
  mkdirSync(`${file}.1`);
  for (let number = 2; number <= 10; number += 1) mkdirSync(`${file}.${number}`);
  writeFileSync(join(`${file}.10`, "in-the-way"), "");
  await append(1, 3);
  expect(recordsOf(file)).toEqual(["01", "02", "03"]);
  expect(names()).toHaveLength(11);
});

test("several processes append and rotate at once without losing a record", async () => {
  const { file } = setUp({ lines: 1 });
  const writers = ["a", "b", "c"];
  await Promise.all(writers.map((name) => run(commandLine("append-on", file, name, "100", "2000", "200"))));
  const kept = readdirSync(join(file, "..")).filter((name) => name.startsWith("audit.jsonl"));
  const found = kept.flatMap((name) => recordsOf(join(file, "..", name)));
  expect(kept.length).toBeGreaterThan(2);
  expect(found.toSorted()).toEqual(
    writers.flatMap((name) => Array.from({ length: 100 }, (_, number) => `${name}-${number}`)).toSorted(),
  );
});

longTest("no acknowledged record is lost if a process is killed at any moment", async () => {
  for (let round = 0; round < 6; round += 1) {
    const { file } = setUp({ lines: 1 });
    const children = ["a", "b"].map((name) => start(commandLine("append-on", file, name, "Infinity", "600", "200")));
    const acknowledged: string[] = [];
    await Promise.all(
      children.map(async (child, index) => {
        for (let left = 2 + round * 7 + index; left > 0; left -= 1) acknowledged.push((await child.line()) ?? "");
        child.kill();
        acknowledged.push(...(await child.rest()));
      }),
    );
    const folder = join(file, "..");
    const names = readdirSync(folder).filter((name) => name.startsWith("audit.jsonl"));
    const found = new Set(names.flatMap((name) => recordsOf(join(folder, name))));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    const log = auditLog({ file, rotation: { maxBytes: 600, maxOldFiles: 200 } });
    await log.append(recordOf("after"));
    expect((await newestRecord(log, 10_000)).map(({ id }) => id)).toContain("after");
    expect(existsSync(join(folder, ".audit.jsonl.svcm-lock"))).toBe(false);
  }
});
