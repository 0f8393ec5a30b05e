/** The values of processes against their file: what is read of each process, and when Git is read for former words. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { readValues, type ValuesRequest } from "../../../src/core/running/read-values.ts";

const START = 1_000_000;
type App = ValuesRequest["apps"][number];

/** PM2's command line leaves this in each process that it starts. */
const BY_PM2 = { PM2_USAGE: "CLI", PM2_HOME: "/pm2", PATH: "/bin" };

const run = (pmId: number, environment: object, more: object = {}) =>
  ({
    name: "api",
    pmId,
    pid: 10 + pmId,
    startedAt: START,
    lastStartAt: START,
    declaration: { environment: { ...BY_PM2, ...environment } },
    ...more,
  }) as unknown as ProcessRecord;

const api = (more: Partial<App> = {}): App => ({
  name: "api",
  environments: [{ A: "1" }],
  openKeys: [],
  copiesShell: false,
  envFiles: [],
  layers: [],
  unnamed: [],
  environmentsAt: () => [{ A: "1" }],
  formerKeysOf: () => [],
  ...more,
});

interface World {
  readonly texts?: Readonly<Record<string, string>>;
  readonly former?: readonly string[];
  readonly changedMs?: Readonly<Record<string, number>>;
  readonly missing?: readonly string[];
  readonly recorded?: Readonly<Record<string, object>>;
  readonly contents?: Readonly<Record<string, object>>;
}

async function read(apps: readonly App[], running: readonly ProcessRecord[], world: World = {}) {
  const queries: unknown[] = [];
  const stamp = (path: string) => {
    const ms = world.changedMs?.[path];
    return ms === undefined ? undefined : { changedMs: ms, modifiedMs: ms };
  };
  const ports = {
    stamps: {
      missing: (paths: readonly string[]) => new Set(paths.filter((path) => world.missing?.includes(path))),
      read: (paths: readonly string[]) => paths.map(stamp),
    },
    workspace: { root: "/srv" },
    revisions: {
      formerTexts: async (...request: unknown[]) => (queries.push(request), world.former ?? []),
    },
    files: {
      read: async (path: string) => {
        const text = world.texts?.[path];
        if (text === undefined) throw new Error("gone");
        return new TextEncoder().encode(text);
      },
    },
  };
  const verdicts = await readValues(ports as never, {
    declaredIn: "e.cjs",
    sources: ["/srv/e.cjs", "/srv/more.cjs"],
    apps,
    running,
    visibleKeys: new Set(),
    listedKeys: new Set(),
    contents: new Map(Object.entries(world.contents ?? {})) as never,
    recordOf: () => (world.recorded === undefined ? undefined : { envFiles: world.recorded as never }),
  });
  const shown = [...verdicts].map(([pmId, { verdict, changes }]) => [
    pmId,
    verdict,
    ...changes.map(({ key, name }) => key ?? name),
  ]);
  return { shown, queries, verdicts };
}

test("every process of an app is compared with the variables of its position", async () => {
  const counted = api({ environmentsAt: (position) => [{ A: String(position) }] });
  const running = [run(5, { A: "1" }), run(2, { A: "0" }), run(9, { A: "1" }), run(3, {}, { name: "web" })];
  const { shown } = await read([counted, api({ name: "none" })], running);
  expect(shown).toEqual([
    [5, "same"],
    [2, "same"],
    [9, "changed", "A"],
  ]);
});

describe("a variable that no file declares", () => {
  const FORMER = { former: ["GONE: 1, STAYED: 2"], texts: { "/srv/e.cjs": "STAYED" } };

  test("was removed if a former version of the file has its name and the present one does not", async () => {
    const { shown, queries } = await read(
      [api()],
      [run(0, { A: "1", GONE: "x" }), run(1, { A: "1", STAYED: "x" })],
      FORMER,
    );
    expect(queries).toEqual([
      [
        ["/srv/e.cjs", "/srv/more.cjs"],
        [START, START],
      ],
    ]);
    expect(shown).toEqual([
      [0, "unknown"],
      [1, "same"],
    ]);
  });

  test("may be in a file that the file loads, or in a file that cannot be read now", async () => {
    const texts = { "/srv/e.cjs": "", "/srv/more.cjs": "GONE" };
    expect((await read([api()], [run(0, { A: "1", GONE: "x" })], { ...FORMER, texts })).shown).toEqual([[0, "same"]]);
    const none = await read([api()], [run(0, { A: "1", GONE: "x" })], { former: [], texts: {} });
    expect([none.shown, none.queries.length]).toEqual([[[0, "same"]], 1]);
  });

  test.each<[string, App, object, number]>([
    ["is declared", api(), { A: "2" }, 0],
    ["is declared in one of several ways", api({ environments: [{ A: "1" }, { GONE: "1" }] }), { GONE: "x" }, 0],
    ["is open", api({ openKeys: ["GONE"] }), { GONE: "x" }, 0],
    ["is one of a shell", api(), { HOME: "/root", PWD: "/" }, 0],
    ["is of no known origin", api(), { GONE: "x" }, 1],
  ])("asks Git or not, if the variable %s", async (_what, app, environment, times) => {
    expect((await read([app], [run(0, environment)], FORMER)).queries).toHaveLength(times);
  });
});

describe("an env file", () => {
  const FILE = "/srv/.env";
  const digests = (text: string) => ({ A: text });

  test.each<[string, World, Partial<App>, string]>([
    [
      "that was the same at the start",
      { recorded: { [FILE]: digests("1") }, contents: { [FILE]: digests("1") } },
      {},
      "same",
    ],
    [
      "with another value than at the start",
      { recorded: { [FILE]: digests("1") }, contents: { [FILE]: digests("2") } },
      {},
      "changed",
    ],
    [
      "that is gone since the start",
      { recorded: { [FILE]: digests("1") }, missing: [FILE] },
      { layers: [] },
      "unknown",
    ],
    ["that is not gone although none names it", { recorded: { [FILE]: digests("1") } }, { layers: [] }, "same"],
    [
      "without a record that was written before the start",
      { contents: { [FILE]: digests("2") }, changedMs: { [FILE]: START - 60_000 } },
      {},
      "same",
    ],
    [
      "without a record that was written later",
      { contents: { [FILE]: digests("2") }, changedMs: { [FILE]: START + 60_000 } },
      {},
      "unknown",
    ],
  ])("%s", async (_what, world, more, verdict) => {
    const app = api({ environments: [{}], environmentsAt: () => [{}], layers: [FILE], ...more });
    expect((await read([app], [run(0, {})], world)).shown[0]?.[1]).toBe(verdict);
  });

  test("is named as in the repository, and by its path outside of it", async () => {
    const paths = ["/srv/.env", "/etc/x.env"];
    const world = { changedMs: Object.fromEntries(paths.map((path) => [path, START + 60_000])) };
    const app = api({
      environments: [{}],
      environmentsAt: () => [{}],
      layers: [paths[0] ?? ""],
      envFiles: [paths[1] ?? ""],
    });
    const [verdict] = [...(await read([app], [run(0, {})], world)).verdicts.values()];
    const texts = JSON.stringify(verdict);
    expect(texts).toContain("/etc/x.env");
    expect(texts).not.toContain("/srv/.env");
  });
});
