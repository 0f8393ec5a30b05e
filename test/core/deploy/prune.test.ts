/** The releases that a deploy removes, and those that it keeps because a file of an app lies there. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { pruneReleases } from "../../../src/core/deploy/prune.ts";

const id = (at: number): string => `2026112708050${at}-4a91c77`;
const record = (at: number) => ({ id: id(at), commit: `c${at}`, state: "done", preparedAtMs: at });

/** Release 3 is current, and 2 is kept. @param written by release */
async function pruned(
  written: Readonly<Record<string, readonly string[]>>,
  failing: readonly string[] = [],
  worked: Readonly<Record<string, readonly number[]>> = {},
) {
  const calls: string[] = [];
  const root = {
    layout: { releases: "/d/releases" },
    records: async () => [3, 2, 1, 0].map(record),
    current: async () => id(3),
    inUse: async () => new Map(Object.entries(worked)),
    writtenSince: async (of: string) => written[of] ?? [],
    remove: async (of: string) => {
      if (failing.includes(of)) throw new SvcmError("DEPLOY_FAILED", { details: "It is busy." });
      calls.push(`remove ${of}`);
    },
    append: async (of: string, { event }: { event: string }) => void calls.push(`${event} ${of}`),
  };
  const notes: string[] = [];
  const ports = {
    workspace: { pm2Home: "/pm2" },
    clock: { now: () => 0 },
    processes: { list: async () => [] },
    releases: { list: async () => [] },
  };
  const context = { root, ports, settings: { keep: 2 }, caller: {}, notes };
  const answer = await pruneReleases(context as never, { keep: async () => undefined } as never);
  expect(calls).toEqual(answer.pruned.flatMap((one) => [`remove ${one}`, `pruned ${one}`]));
  return { pruned: answer.pruned, notes };
}

test("those beyond the kept ones are removed", async () => {
  expect(await pruned({})).toEqual({ pruned: [id(1), id(0)], notes: [] });
});

test.each([
  [["a"], "a"],
  [["a", "b", "c"], "a, b, c"],
  [["a", "b", "c", "d", "e"], "a, b, c and 2 more"],
])("one in which %j were written stays, and at most three are named", async (files, names) => {
  const { pruned: removed, notes } = await pruned({ [id(1)]: files });
  expect(removed).toEqual([id(0)]);
  expect(notes).toEqual([expect.stringMatching(new RegExp(`^RELEASE_HAS_DATA: .*: ${names}\\. Name them`))]);
});

test("one that cannot be removed is named, and the others go", async () => {
  const { pruned: removed, notes } = await pruned({}, [id(1)]);
  expect(removed).toEqual([id(0)]);
  expect(notes).toEqual([expect.stringContaining("could not be removed")]);
});

test("one in which PM2 itself works stays, and so does one of its saved list, which is not named", async () => {
  const { pruned: removed, notes } = await pruned({}, [], { [id(1)]: [4711], [id(0)]: [], [id(2)]: [4712] });
  expect(removed).toEqual([]);
  expect(notes).toEqual([
    expect.stringMatching(new RegExp(`${id(1)} is kept, because a process .* \\(pid 4711\\)\\.$`)),
  ]);
});
