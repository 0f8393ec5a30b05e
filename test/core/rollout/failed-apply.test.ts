import { expect, test } from "vitest";
import { appOfInterrupted, findWayBack, stateBefore } from "../../../src/core/rollout/apply/failure.ts";
import { lastErrorLines } from "../../../src/core/rollout/apply/last-errors.ts";
import { failureLines } from "../../../src/core/rollout/report/words.ts";
import type { Journal, ReleaseHead } from "../../../src/core/rollout/release.ts";

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

test("a failure names its error and the holder of the port", () => {
  const port = { port: 3000, pid: 7, program: "nginx", app: null };
  expect(failureLines({ errorLines: ["Error: a"], port })).toEqual([
    "Its error log: Error: a",
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
