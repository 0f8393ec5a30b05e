/** The weight of files that are newer than the start of their app, from a unit in memory. */
import { describe, expect, test } from "vitest";
import type { Unit } from "../../../../src/core/running/evidence/unit.ts";
import { unchangedSince } from "../../../../src/core/running/evidence/seen.ts";
import type { WalkedEntry } from "../../../../src/core/running/evidence/walk.ts";
import {
  ages,
  describeWithoutGit,
  noteBootWrites,
  withoutOthers,
  withoutOwnData,
} from "../../../../src/core/running/evidence/weights.ts";

const START = 100_000;

const entry = (path: string, more: Partial<WalkedEntry> = {}): WalkedEntry => ({
  path,
  absolute: `/srv/${path}`,
  kind: "file",
  size: 1,
  ino: 1,
  modifiedMs: START - 1,
  changedMs: START - 1,
  bornMs: START - 1,
  isOutside: false,
  ...more,
});

const RULES = { named: new Set<string>(), include: [], exclude: [], scriptFolder: "src/" };

function unit(entries: readonly WalkedEntry[], own: readonly string[] = [], more: object = {}): Unit {
  const rules = { ...RULES, own: new Set(own) };
  const addOwn = (path: string): void => void rules.own.add(path);
  return { folder: "/srv", files: entries, walk: { entries }, rules, addOwn, ...more } as unknown as Unit;
}

describe("the age of a file", () => {
  const ageOf = (path: string, entries: readonly WalkedEntry[], old: readonly string[]) =>
    ages(unit(entries), START, (one) => old.includes(one))(path);
  const rewritten = (ms: number, path = "src/db.json") => entry(path, { changedMs: START + ms });

  test.each<[string, string, string, readonly WalkedEntry[], readonly string[]]>([
    ["old if it was there at the start", "old", "src/a.js", [entry("src/a.js")], ["src/a.js"]],
    ["new without a file of its kind in its folder", "new", "src/b.js", [entry("src/a.txt")], ["src/a.txt"]],
    ["that of a fellow beside an old file of its kind", "fellow", "up/b.json", [entry("up/a.json")], ["up/a.json"]],
    ["new beside one that is new, too", "new", "up/b.json", [entry("up/a.json")], []],
    ["new though a folder below has such a file", "new", "up/b.json", [entry("up/x/a.json")], ["up/x/a.json"]],
    ["new though another folder has such a file", "new", "up/b.json", [entry("down/a.json")], ["down/a.json"]],
    ["new at the top, beside package.json", "new", "b.json", [entry("package.json")], ["package.json"]],
    [
      "rewritten if it is data that was written at the start",
      "rewritten",
      "src/db.json",
      [rewritten(1)],
      ["src/db.json"],
    ],
    ["rewritten until five seconds after it", "rewritten", "src/db.json", [rewritten(5000)], ["src/db.json"]],
    ["old if it was written later", "old", "src/db.json", [rewritten(5001)], ["src/db.json"]],
    ["old if it was written before", "old", "src/db.json", [rewritten(0)], ["src/db.json"]],
    ["old if it is a program", "old", "src/a.js", [rewritten(1, "src/a.js")], ["src/a.js"]],
  ])("is %s", (_what, age, path, entries, old) => {
    expect(ageOf(path, entries, old)).toBe(age);
  });
});

describe("data that the app writes at its start", () => {
  /** Each look has a file with its time of change, relative to the first start. */
  function look(
    kept: Map<string, number | null>,
    written: readonly (readonly [path: string, ms: number])[],
    startMs = 0,
    own?: object,
  ) {
    let writes = 0;
    const store = {
      readBootWrites: () => kept,
      writeBootWrites: (_: string, after: ReadonlyMap<string, number | null>) => {
        writes += 1;
        kept.clear();
        for (const [path, ms] of after) kept.set(path, ms);
      },
    };
    const entries = written.map(([path, ms]) => entry(path, { changedMs: START + ms }));
    const of = unit(entries, [], own);
    noteBootWrites(of, entries, START + startMs, store as never);
    return { own: [...(of.rules.own ?? [])], writes };
  }

  test("is its own once two starts have written it", () => {
    const kept = new Map<string, number | null>();
    expect(look(kept, [["db.json", 10]])).toEqual({ own: [], writes: 1 });
    expect(look(kept, [["db.json", 10]])).toEqual({ own: [], writes: 0 });
    expect(look(kept, [["db.json", 5010]], 5000)).toEqual({ own: [], writes: 0 });
    expect(look(kept, [["db.json", 5011]], 5000)).toEqual({ own: ["db.json"], writes: 1 });
    expect(look(kept, [["other.json", 90_010]], 90_000)).toEqual({ own: ["db.json"], writes: 1 });
    expect(look(kept, [["db.json", 99_010]], 99_000)).toEqual({ own: ["db.json"], writes: 0 });
  });

  test.each([
    ["a program", "api.js", 10],
    ["a file of a folder with settings", "config/a.json", 10],
    ["a file that was written later", "db.json", 5001],
    ["a file that was written before", "db.json", 0],
  ])("is not %s", (_what, path, ms) => {
    expect(look(new Map(), [[path, ms]])).toEqual({ own: [], writes: 0 });
  });

  test("is not looked for in an app without a folder", () => {
    expect(look(new Map(), [["db.json", 10]], 0, { folder: undefined })).toEqual({ own: [], writes: 0 });
  });
});

describe("without Git", () => {
  test("newer code is named with its times, and what may be code is a doubt", () => {
    const entries = [
      entry("src/a.js", { modifiedMs: START + 1, changedMs: START + 2 }),
      entry("src/b.js", { changedMs: START + 2 }),
      entry("lib", { kind: "folder", modifiedMs: START + 1, changedMs: START + 3 }),
      entry("config/a.json", { changedMs: START + 1 }),
      entry("db.json", { changedMs: START + 1 }),
    ];
    const found = describeWithoutGit(entries, unit(entries, ["db.json"]), { sinceMs: START, ageOf: () => "new" });
    expect(found).toEqual({
      newer: [
        { path: "src/a.js", kind: "file", isModified: true, changedMs: START + 2 },
        { path: "src/b.js", kind: "file", isModified: false, changedMs: START + 2 },
        { path: "lib", kind: "folder", isModified: false, changedMs: START + 3 },
      ],
      doubts: ["config/a.json"],
    });
  });

  test("data that the app made since its start is left out of what is compared", () => {
    const born = (path: string, ms: number) => entry(path, { bornMs: START + ms });
    const entries = [born("data/new.json", 1), born("data/old.json", 0), born("src/new.js", 1)];
    const digests = new Map(entries.map(({ path }) => [path, "1"]));
    const left = withoutOwnData(digests, unit(entries), START);
    expect([...left.keys()]).toEqual(["data/old.json", "src/new.js"]);
    expect(withoutOwnData(digests, unit([]), START)).toBe(digests);
  });

  test("data that was removed since does not change the code, and code that was removed does", () => {
    const code = new Map(["a.js", "db.json", "kept.json"].map((path) => [path, "1"]));
    const record = { cwd: "/srv", script: "/srv/a.js", commit: null, code, install: "i" } as never;
    const weightOf = (path: string) => (path.endsWith(".js") ? "code" : "none");
    expect([...withoutOthers(record, ["a.js", "db.json"], weightOf).code.keys()]).toEqual(["a.js", "kept.json"]);
    expect(withoutOthers(record, ["a.js"], weightOf)).toBe(record);
  });
});

describe("what svcm saw shortly before a start", () => {
  interface Looks {
    readonly before?: readonly (readonly [string, string])[] | undefined;
    readonly now?: readonly (readonly [string, string])[] | string;
    readonly atMs?: number;
    readonly moveMs?: number;
    readonly own?: readonly string[];
  }
  const SAME = [["a.js", "1"]] as const;
  const isKnown = ({ before = SAME, now = SAME, atMs = START - 1, moveMs, own = [] }: Looks): boolean => {
    const digests = typeof now === "string" ? now : new Map(now);
    const seen = { atMs, digests: () => new Map(before) };
    const repository = moveMs === undefined ? undefined : { moves: () => [{ atMs: moveMs }] };
    const of = unit([], own, { digests });
    return unchangedSince({ unit: of, repository: repository as never, seen }, START) !== undefined;
  };

  test.each<[string, Looks, boolean]>([
    ["is what started if all of it is in place", {}, true],
    ["and if there is more now", { now: [...SAME, ["b.js", "1"]] }, true],
    ["and not if a file is another one", { now: [["a.js", "2"]] }, false],
    ["and not if one is gone", { now: [] }, false],
    ["and it is if what changed is data of the app", { before: [...SAME, ["db.json", "1"]], own: ["db.json"] }, true],
    ["and not if the files cannot be read now", { now: "EACCES" }, false],
    ["and not if svcm looked at the start or later", { atMs: START }, false],
    ["and it is up to a minute before", { atMs: START - 60_000 }, true],
    ["and not longer before", { atMs: START - 60_001 }, false],
    ["and not if Git wrote files since", { moveMs: START - 1 }, false],
    ["and not in the second before, which Git's log does not tell apart", { moveMs: START - 1001 }, false],
    ["and it is if Git wrote files before", { moveMs: START - 1002 }, true],
  ])("%s", (_what, looks, expected) => {
    expect(isKnown(looks)).toBe(expected);
  });

  test("is unknown without a look, or if its content is no longer kept", () => {
    const of = unit([], [], { digests: new Map() });
    expect(unchangedSince({ unit: of, repository: undefined, seen: undefined }, START)).toBeUndefined();
    const seen = { atMs: START - 1, digests: () => undefined };
    expect(unchangedSince({ unit: of, repository: undefined, seen }, START)).toBeUndefined();
  });
});
