import { describe, expect, test } from "vitest";
import { appOfInterrupted, findWayBack, stateBefore } from "../../../src/core/rollout/apply/failure.ts";
import { lastErrorLines, readEvidence } from "../../../src/core/rollout/apply/last-errors.ts";
import { failureLines } from "../../../src/core/rollout/report/words.ts";
import type { Journal, ReleaseHead } from "../../../src/core/rollout/release.ts";
import { playPm2, running } from "./control/played-pm2.ts";

const at = "2026-11-22T04:41:03.000Z";
const [GOOD, BAD] = ["a".repeat(40), "b".repeat(40)];

function journal(id: string, more: Partial<ReleaseHead> = {}, outcome: "applied" | "half" = "applied"): Journal {
  const git = { commit: GOOD, dirty: [] };
  const common = { plan: null, startedAt: at, source: "cli", steps: [], before: [], left: { apps: {} } } as const;
  const head: ReleaseHead = { event: "release", id, environment: "production", git, ...common, ...more };
  return { head, events: [head, { event: "end", outcome, at }] };
}

const former = (script: string) => ({
  name: "web",
  pmId: 0,
  uniqueId: null,
  pid: 1,
  isStopped: false,
  definition: "",
  paths: [script],
});

const back = (outcome: "reverted" | "half", ran: string, commit: string | null, ...journals: Journal[]) =>
  backFrom({ outcome, isNewCode: false }, ran, commit, journals);

function backFrom(
  failed: { readonly outcome: "reverted" | "half"; readonly isNewCode: boolean },
  ran: string,
  commit: string | null,
  journals: Journal[],
) {
  const git = commit === null ? null : { commit, dirty: [] };
  const head = { id: "r9", environment: "production", before: [former(ran)], git };
  return findWayBack({ head, ...failed, app: "web", script: "/srv/app.js", choices: {}, journals });
}

const CHECKOUT = "git checkout aaaaaaaaaa && svcm apply --environment production";

test.each<[string, string | undefined, string | undefined]>([
  ["code in place", CHECKOUT, back("half", "/srv/app.js", BAD, journal("r8"))],
  ["code in place, and everything runs as before", CHECKOUT, back("reverted", "/srv/app.js", BAD, journal("r8"))],
  ["a folder for each release", "svcm rollback r9", back("half", "/srv/1/app.js", BAD, journal("r8"))],
  ["a folder for each release, as before", undefined, back("reverted", "/srv/1/app.js", BAD, journal("r8"))],
  ["the same commit", "svcm rollback r9", back("half", "/srv/app.js", GOOD, journal("r8"))],
  ["no repository", "svcm rollback r9", back("half", "/srv/app.js", null, journal("r8"))],
  ["no good release", "svcm rollback r9", back("half", "/srv/app.js", BAD, journal("r8", {}, "half"))],
  [
    "new code of the same commit, which a rollback would start again",
    undefined,
    backFrom({ outcome: "half", isNewCode: true }, "/srv/app.js", GOOD, [journal("r8")]),
  ],
  [
    "new code in another folder",
    "svcm rollback r9",
    backFrom({ outcome: "half", isNewCode: true }, "/srv/1/app.js", GOOD, [journal("r8")]),
  ],
  [
    "only another environment",
    "svcm rollback r9",
    back("half", "/srv/app.js", BAD, journal("r8", { environment: "dev" })),
  ],
  [
    "a release that was undone does not count",
    CHECKOUT,
    back("half", "/srv/app.js", BAD, journal("r8", { undoes: "r7" }), journal("r7", { git: null }), journal("r6")),
  ],
])("the way back with %s", (_what, expected, found) => {
  expect(found).toBe(expected);
});

test("after an interruption, an app with new code in place decides on the way back", () => {
  const [web, api] = [
    { do: "update", app: "web", pmIds: [0] },
    { do: "update", app: "api", pmIds: [1], newCode: true },
  ] as const;
  expect([appOfInterrupted({ steps: [web, api] }), appOfInterrupted({ steps: [web] })]).toEqual(["api", ""]);
});

test("the last error block begins with the line that names the error", () => {
  const block = ["/srv/app.js:3", "throw new Error()", "^", "", "Error: no such table", "    at x (/srv/app.js:3:1)"];
  expect(lastErrorLines([...block, "Node.js v20", ...block])).toEqual(["Error: no such table (2 times)"]);
  const timed = [
    "2026-11-22T04:41:03: Error: listen EADDRINUSE: address already in use :::3000",
    "2026-11-22T04:41:03:     at a",
  ];
  expect(lastErrorLines(timed)[0]).toBe("Error: listen EADDRINUSE: address already in use :::3000");
  expect(lastErrorLines(["the configuration is not valid", "PORT is missing"])).toEqual([
    "the configuration is not valid",
    "PORT is missing",
  ]);
  expect(lastErrorLines([])).toEqual([]);
});

describe("the errors of an app that failed", () => {
  const TAKEN = "Error: listen EADDRINUSE: address already in use :::3000";
  interface Written {
    readonly logs?: readonly string[] | Error;
    /** Published by PM2, with its time. */
    readonly published?: readonly (readonly [atMs: number, text: string])[];
    readonly holder?: object;
    readonly grants?: readonly string[];
    readonly app?: string;
  }
  const evidence = ({ logs = [], published = [], holder, grants = ["read", "logs"], app = "api" }: Written) => {
    const { ports } = playPm2([running(0), running(1, { name: "web" })], { listeners: holder ? [holder] : [] });
    const read = async () =>
      logs instanceof Error ? Promise.reject(logs) : { lines: logs.map((text) => ({ text })), older: null };
    const processes = {
      ...ports.processes,
      scrub: async (texts: readonly string[]) => texts.map((text) => text.replace("hunter2", "[REDACTED]")),
      writtenErrors: async ({ pmId }: { readonly pmId: number }) => {
        const [writtenMs, text = ""] = published[pmId] ?? [];
        return writtenMs === undefined ? undefined : { writtenMs, lines: text.split(",") };
      },
    };
    const processLogs = { ...ports.processLogs, readEarlyErrors: async () => [] };
    const all = { ...ports, processes, processLogs, logs: { read } };
    return readEvidence(all as never, { grants } as never, { app, sinceMs: 10_000 });
  };

  test("are those of its log, of which an entry of several lines is named by its first one", async () => {
    expect(await evidence({ logs: ["Error: a\n    at x", "", "Error: b"] })).toEqual({ errorLines: ["Error: b"] });
    expect(await evidence({ logs: ["Error: a\n    at x"] })).toEqual({ errorLines: ["Error: a"] });
  });

  test("are those that PM2 has published since the step began, without secrets, if no log has them", async () => {
    const published = [[10_000, "Error: key hunter2"]] as const;
    const errorLines = ["Error: key [REDACTED]"];
    expect(await evidence({ published })).toEqual({ errorLines });
    expect(await evidence({ published, logs: new Error("EACCES") })).toEqual({ errorLines });
    expect(await evidence({ published, logs: ["", " \n"] })).toEqual({ errorLines });
    expect(await evidence({ published: [[9999, "Error: old"]] })).toEqual({ errorLines: [] });
    const ofOther = [...published, [10_000, "Error: of web"]] as const;
    expect(await evidence({ published: ofOther })).toEqual({ errorLines });
  });

  test("are not shown without the right to read logs, and there are none if no app failed", async () => {
    expect(await evidence({ logs: ["Error: a"], grants: ["read"] })).toEqual({ errorLines: [] });
    expect(await evidence({ logs: ["Error: a"], app: "" })).toEqual({ errorLines: [] });
  });

  test("name who holds the port that the app calls taken", async () => {
    const socket = { address: "::", port: 3000, waiting: 0, ancestors: [1], program: "node", origin: null };
    const { port } = await evidence({ logs: [TAKEN], holder: { ...socket, pid: 101 } });
    expect(port).toEqual({ port: 3000, pid: 101, program: "node", app: "web" });
    const old = { pm2Home: "/pm2", name: "old", pmId: 9 };
    expect((await evidence({ logs: [TAKEN], holder: { ...socket, pid: 77, origin: old } })).port).toEqual({
      port: 3000,
      pid: 77,
      program: "node",
      app: null,
      formerApp: "old",
    });
    expect(await evidence({ logs: [TAKEN], holder: { ...socket, pid: 77, port: 80 } })).not.toHaveProperty("port");
  });

  test("are cut to three lines of two hundred letters", () => {
    const long = `Error: ${"x".repeat(300)}`;
    const [first = "", ...others] = lastErrorLines([long, "    at a", "    at b", "    at c", "    at d"]);
    expect([first.length <= 201, others.length]).toEqual([true, 2]);
    expect(lastErrorLines(["a", "b", "c", "d"])).toEqual(["b", "c", "d"]);
  });
});

test("a failure names its error and the holder of the port", () => {
  const port = { port: 3000, pid: 7, program: "nginx", app: null };
  expect(failureLines({ errorLines: ["Error: a"], port })).toEqual([
    "It wrote: Error: a",
    "Port 3000 is taken by nginx, pid 7.",
  ]);
  expect(failureLines({ errorLines: [] })).toEqual([]);
});

const RETURNED = "Every touched app has its former definition again.";

test.each<[string, object, object]>([
  ["Every touched app runs as before.", {}, {}],
  [`${RETURNED} Down before: web.`, { isFailing: true }, {}],
  [`${RETURNED} Down before: web.`, { isStopped: true }, {}],
  [
    `${RETURNED} The new code stays, because it is in the folder of the former one: web.`,
    {},
    { steps: [{ do: "update", app: "web", pmIds: [0], newCode: true }] },
  ],
  [
    `${RETURNED} With svcm's last copy of the env files, which may differ from what ran: web. Check the files, which the next apply reads.`,
    {},
    { left: { apps: { web: { mayDiffer: true } } }, cannotUndo: [{ app: "web", what: "envFile" }] },
  ],
  [
    `${RETURNED} With the env files as they are now: web.`,
    {},
    { cannotUndo: ["web", "other"].map((app) => ({ app, what: "envFile" })) },
  ],
  ["As before, PM2 does not have the touched apps.", { name: "third" }, {}],
])("a reverted apply says %s", (text, state, more) => {
  const before = [
    { ...former("/srv/app.js"), ...state },
    { ...former("/srv/app.js"), name: "other", isStopped: true },
  ];
  expect(stateBefore({ before, left: { apps: {} }, steps: [], ...more }, ["web"])).toBe(text);
});
