/** The env files as a process has read them: svcm records no more than it saw. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { recordReadCopies, withReadCopies, withReadCopy } from "../../../src/core/rollout/env-file-copies.ts";
import type { AppliedApp } from "../../../src/core/rollout/release.ts";
import { record } from "../../support/process-record.ts";

const START = 100_000;
const FILE = { path: "/srv/.env", digest: "old", copy: "/r/1/.env" } as unknown as AppliedApp["envFiles"][number];
const NEW = { path: "/srv/.env", digest: "new", copy: "/r/2/.env" } as unknown as AppliedApp["envFiles"][number];
const applied = (more: Partial<AppliedApp> = {}): AppliedApp => ({
  environment: "dev",
  service: "",
  keys: [],
  envFiles: [FILE],
  ...more,
});
const process = (pid: number | null, more: Partial<ProcessRecord> = {}) => record({ pid, lastStartAt: START, ...more });

interface World {
  readonly changedMs?: number | null;
  readonly nowMs?: number;
  /** The files differ from the copies. */
  readonly isNew?: boolean;
}

function makePorts({ changedMs = 0, nowMs = START + 1, isNew = false }: World) {
  return {
    clock: { now: () => nowMs },
    stamps: { read: (paths: readonly string[]) => paths.map(() => (changedMs === null ? null : { changedMs })) },
    releases: {
      changedEnvFiles: async () => new Map(isNew ? [["/srv/.env", "x"]] : []),
      copyEnvFiles: async (id: string, paths: readonly string[]) => paths.map(() => ({ ...NEW, id })),
    },
  };
}
const read = (
  world: World,
  app: AppliedApp,
  own: readonly ProcessRecord[],
  isPinned?: (one: ProcessRecord) => boolean,
) => withReadCopy(makePorts(world) as never, app, { id: "r2", own, isPinned });
const differs = (app: AppliedApp) => ({ ...app, mayDiffer: true });

describe("an app that has started", () => {
  test.each<[string, World, AppliedApp, readonly ProcessRecord[], unknown]>([
    ["has read the copies, if the files are like them", {}, applied(), [process(7)], applied({ readBy: [7] })],
    [
      "has read new content, which is copied",
      { isNew: true },
      applied(),
      [process(7)],
      applied({ envFiles: [{ ...NEW, id: "r2" } as never], readBy: [7] }),
    ],
    [
      "may have read other content if a file changed since",
      { changedMs: START },
      applied(),
      [process(7)],
      differs(applied()),
    ],
    [
      "may have if it changed within the tolerance of clocks",
      { changedMs: START - 19 },
      applied(),
      [process(7)],
      differs(applied()),
    ],
    ["has not if it changed before", { changedMs: START - 20 }, applied(), [process(7)], applied({ readBy: [7] })],
    ["may have if the file is gone", { changedMs: null }, applied(), [process(7)], differs(applied())],
    ["may have after the clock was set back", { nowMs: START - 1 }, applied(), [process(7)], differs(applied())],
    ["has not at the same moment", { nowMs: START }, applied(), [process(7)], applied({ readBy: [7] })],
    ["may have if its start is not known", {}, applied(), [process(7, { lastStartAt: null })], differs(applied())],
    [
      "may have if one of its processes started before",
      {},
      applied(),
      [process(7), process(8, { lastStartAt: 10 })],
      differs(applied()),
    ],
    [
      "is the one that is known, and no doubt remains",
      { changedMs: START },
      applied({ readBy: [7], mayDiffer: true }),
      [process(7)],
      applied({ readBy: [7] }),
    ],
    [
      "with one process more is not the one that is known",
      {},
      applied({ readBy: [7] }),
      [process(7), process(8)],
      applied({ readBy: [7, 8] }),
    ],
    ["and ended is left as it was", {}, applied({ mayDiffer: true }), [process(null)], applied({ mayDiffer: true })],
    [
      "without env files is left as it was",
      {},
      applied({ envFiles: [], mayDiffer: true }),
      [process(7)],
      applied({ envFiles: [], mayDiffer: true }),
    ],
  ])("%s", async (_what, world, app, own, expected) => {
    expect(await read(world, app, own)).toEqual(expected);
  });
});

describe("an app that a rollback made read copies", () => {
  const pinned = applied({ pinnedBy: "r1" });
  test.each<[string, World, ((one: ProcessRecord) => boolean) | undefined, readonly ProcessRecord[], unknown]>([
    ["still reads them", { changedMs: START }, () => true, [process(7)], { ...pinned, readBy: [7] }],
    ["reads its files again", {}, () => false, [process(7)], { ...pinned, readBy: [7] }],
    ["reads them in one of its processes", {}, ({ pid }) => pid === 7, [process(7), process(8)], differs(pinned)],
    ["is not known to read either", {}, undefined, [process(7)], differs(pinned)],
  ])("%s", async (_what, world, isPinned, own, expected) => {
    expect(await read(world, pinned, own, isPinned)).toEqual(expected);
  });
});

test("each app has the processes of its name", async () => {
  const state = { apps: { api: applied(), jobs: applied() }, unsavedAtMs: 5 };
  const running = [process(7, { name: "api" }), process(8, { name: "jobs" })];
  expect(await withReadCopies(makePorts({}) as never, state, { id: "r2", running })).toEqual({
    apps: { api: applied({ readBy: [7] }), jobs: applied({ readBy: [8] }) },
    unsavedAtMs: 5,
  });
});

describe("after a command, what was read is recorded", () => {
  const recorded = async (
    apps: Readonly<Record<string, AppliedApp>>,
    world: World = {},
    list: () => unknown = () => [process(7, { name: "api" })],
  ) => {
    const seen: unknown[] = [];
    const ports = makePorts(world);
    const head = { event: "release", id: "r1", startedAt: "", steps: [], before: [], left: { apps } };
    const releases = {
      ...ports.releases,
      list: async () => [[head]],
      recordRead: async (id: string, event: unknown) => void seen.push([id, event]),
    };
    await recordReadCopies({ ...ports, releases, processes: { list: async () => list() } } as never);
    return seen;
  };
  const at = new Date(START + 1).toISOString();

  test("with the newest release, and without what may differ", async () => {
    expect(await recorded({ api: applied(), jobs: applied() })).toEqual([
      ["r1", { event: "read", at, apps: { api: { envFiles: [FILE], readBy: [7] } } }],
    ]);
    expect(await recorded({ api: applied() }, { changedMs: START })).toEqual([]);
  });

  test("unless nothing new is known, or a rollback decides", async () => {
    expect(await recorded({ api: applied({ readBy: [7] }) })).toEqual([
      ["r1", { event: "read", at, apps: { api: { envFiles: [FILE], readBy: [7] } } }],
    ]);
    expect(await recorded({ api: applied({ pinnedBy: "r0" }) })).toEqual([]);
    expect(await recorded({})).toEqual([]);
  });

  test("and a PM2 that does not answer fails nothing", async () => {
    const fail = (error: Error) =>
      recorded({ api: applied() }, {}, () => {
        throw error;
      });
    expect(await fail(new SvcmError("PM2_FAILED"))).toEqual([]);
    await expect(fail(new TypeError("x"))).rejects.toThrow(TypeError);
    await recordReadCopies({ releases: { list: async () => [] } } as never);
  });
});
