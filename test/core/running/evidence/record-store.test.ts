/** The records of the starts of processes, in real files. */
import { existsSync, lstatSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Digester, RecordStore } from "../../../../src/core/running/evidence/record-store.ts";
import type { WalkedEntry } from "../../../../src/core/running/evidence/walk.ts";
import type { StartRecord } from "../../../../src/core/running/port-running-code.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const BOOT = "0123-abcd";
const GONE = 4_194_305; // above the largest pid
const recordOf = (pid: number, more: object = {}): Omit<StartRecord, "code"> =>
  ({ bootId: BOOT, pid, startTicks: "77", ...more }) as unknown as Omit<StartRecord, "code">;
const codeOf = (text: string): ReadonlyMap<string, string> => new Map([["a.js", text]]);
const own = { bootId: BOOT, pid: process.pid, startTicks: "77" };
const startsOf = (home: string): string[] => readdirSync(join(home, "starts")).filter((name) => name !== "code");

test("a record is that of one process, and its code can be read by name, also by the next command", () => {
  const home = temporaryFolder();
  const name = new RecordStore(home).write(recordOf(process.pid), codeOf("1"));
  const store = new RecordStore(home);
  expect(store.read(own)).toEqual({ ...own, code: name });
  expect(store.readCode(name)).toEqual(codeOf("1"));
  expect([store.read({ ...own, startTicks: "78" }), store.read({ ...own, pid: GONE })]).toEqual([undefined, undefined]);
  expect(statSync(join(home, "starts", "code", `${name}.gz`)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, "starts")).filter((one) => one.endsWith(`.${process.pid}`))).toEqual([]);
});

test.each([
  ["pid", { pid: GONE }],
  ["start", { startTicks: "78" }],
  ["boot", { bootId: "4567" }],
  ["code", { code: "7" }],
  ["text for its code", { code: 7 }],
])("a file with another %s than its name is not read as a record", (_what, more) => {
  const home = temporaryFolder();
  const store = new RecordStore(home);
  const code = store.write(recordOf(process.pid), codeOf("1"));
  const path = join(home, "starts", `${BOOT}-${process.pid}-77.json`);
  writeFileSync(path, JSON.stringify({ ...own, code, ...more }));
  expect(store.read(own)).toBeUndefined();
  writeFileSync(path, JSON.stringify({ ...own, code }).slice(0, 20));
  expect(store.read(own)).toBeUndefined();
});

test("a list of digests that was cut off, or is not that of its name, is not used", () => {
  const home = temporaryFolder();
  const store = new RecordStore(home);
  const [one, two] = [
    store.write(recordOf(process.pid), codeOf("1")),
    store.write(recordOf(process.ppid), codeOf("2")),
  ];
  const fileOf = (name: string): string => join(home, "starts/code", `${name}.gz`);
  writeFileSync(fileOf(one), "cut");
  expect([store.readCode(one), store.readCode(two), store.readCode("none")]).toEqual([
    undefined,
    codeOf("2"),
    undefined,
  ]);
});

test("records go with their processes and with a restart of the machine, and lists with their last record", () => {
  const home = temporaryFolder();
  const old = new RecordStore(home);
  const [gone, rebooted] = [old.write(recordOf(GONE), codeOf("gone")), "4567"];
  old.write(recordOf(process.pid, { bootId: rebooted }), codeOf("rebooted"));
  writeFileSync(join(home, "starts", "note.txt"), "of the user");
  const store = new RecordStore(home);
  const kept = store.write(recordOf(process.pid), codeOf("kept"));
  expect(startsOf(home).toSorted()).toEqual([`${BOOT}-${process.pid}-77.json`, "note.txt"]);
  expect([store.readCode(gone), store.readCode(kept)]).toEqual([undefined, codeOf("kept")]);
  // The two records of one content share its list.
  const shared = new RecordStore(home).write(recordOf(process.ppid), codeOf("kept"));
  expect([shared, readdirSync(join(home, "starts/code"))]).toEqual([kept, [`${kept}.gz`]]);
});

test("where nothing can be written or read, svcm knows less, and nothing fails", () => {
  const home = temporaryFolder();
  writeFileSync(join(home, "starts"), "a file");
  writeFileSync(join(home, "digests"), "a file");
  const store = new RecordStore(home);
  expect(store.write(recordOf(process.pid), codeOf("1"))).toMatch(/^[0-9a-f]{40}$/);
  store.writeCache("unit", new Map());
  expect([store.read(own), store.readCache("unit").size, store.readBootWrites("unit").size]).toEqual([undefined, 0, 0]);
});

test("what an app writes at each start is kept by unit, without entries of another kind", () => {
  const home = temporaryFolder();
  const store = new RecordStore(home);
  const writes = new Map([
    ["db.json", 5],
    ["data.csv", null],
  ]);
  store.writeBootWrites("/srv/a", writes);
  expect([store.readBootWrites("/srv/a"), store.readBootWrites("/srv/b").size]).toEqual([writes, 0]);
  const [name = ""] = readdirSync(join(home, "boots"));
  writeFileSync(join(home, "boots", name), '{"a":"5","b":6}');
  expect(store.readBootWrites("/srv/a")).toEqual(new Map([["b", 6]]));
  const many = Array.from({ length: 1001 }, (_, at) => [`${at}`, at] as const);
  store.writeBootWrites("/srv/a", new Map(many));
  expect([store.readBootWrites("/srv/a").size, store.readBootWrites("/srv/a").has("0")]).toEqual([1000, false]);
});

test("of the digests of 201 units, the oldest are removed, and a file that is not svcm's stays", () => {
  const home = temporaryFolder();
  const store = new RecordStore(home);
  store.writeCache("first", new Map([["a.js", ["tag", "1"]]]));
  const [first = ""] = readdirSync(join(home, "digests"));
  utimesSync(join(home, "digests", first), 1000, 1000);
  for (let at = 0; at < 198; at += 1) writeFileSync(join(home, "digests", `${at}.json`), "[]");
  writeFileSync(join(home, "digests", "note.txt"), "");
  store.writeCache("last", new Map());
  expect(readdirSync(join(home, "digests"))).toHaveLength(201);
  expect([existsSync(join(home, "digests", first)), store.readCache("first").size]).toEqual([true, 1]);
  store.writeCache("one more", new Map());
  expect(readdirSync(join(home, "digests"))).toHaveLength(201);
  expect([existsSync(join(home, "digests", first)), existsSync(join(home, "digests/note.txt"))]).toEqual([false, true]);
});

test("a file is digested again only if its size, number or times differ from the remembered ones", () => {
  const folder = temporaryFolder();
  const entryOf = (name: string, text: string): WalkedEntry => {
    const absolute = join(folder, name);
    writeFileSync(absolute, text);
    const { size, ino, mtimeMs } = lstatSync(absolute);
    const times = { modifiedMs: mtimeMs, changedMs: 5, bornMs: 0 };
    return { path: name, absolute, kind: "file", size, ino, isOutside: false, ...times };
  };
  const [settled, fresh] = [entryOf("a.js", "1"), { ...entryOf("b.js", "2"), changedMs: Date.now() + 60_000 }];
  const first = new Digester(() => new Map());
  expect(first.cache).toBeUndefined();
  // As Git names a blob of the text 1.
  expect(first.digest(settled)).toBe("56a6051ca2b02b04ef92d5150c9ef600403cb1de");
  first.digest(fresh);
  const cache = first.cache ?? new Map<string, readonly [string, string]>();
  expect([...cache.keys()]).toEqual(["a.js"]);
  const remembered = new Map([["a.js", [cache.get("a.js")?.[0] ?? "", "remembered"] as [string, string]]]);
  for (const [more, expected] of [
    [{}, "remembered"],
    [{ size: 2 }, "56a6"],
    [{ ino: 1 }, "56a6"],
    [{ modifiedMs: 1 }, "56a6"],
    [{ changedMs: 6 }, "56a6"],
  ] as const)
    expect(new Digester(() => remembered).digest({ ...settled, ...more })).toContain(expected);
  const again = new Digester(() => remembered);
  again.digest(settled);
  expect(again.cache).toBeUndefined();
  const fewer = new Digester(
    () => new Map([...remembered, ...["x", "y"].map((name) => [name, ["t", "d"] as [string, string]] as const)]),
  );
  fewer.digest(settled);
  expect([...(fewer.cache ?? [])].map(([path]) => path)).toEqual(["a.js"]);
});
