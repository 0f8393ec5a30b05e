/** The code that runs after an apply or a rollback, and what is said about it. */
import { describe, expect, test } from "vitest";
import type { RollbackPlan } from "../../../../src/core/api/rollout-requests.ts";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import {
  findKeptCode,
  gitAfterwards,
  readCodeAfter,
  unknownCode,
} from "../../../../src/core/rollout/apply/changed-code.ts";
import type { Journal, ReleaseHead } from "../../../../src/core/rollout/release.ts";
import { running } from "../control/played-pm2.ts";

const [FIRST, SECOND] = ["a".repeat(40), "b".repeat(40)];
const at = "2026-11-22T04:41:03.000Z";
const git = (commit: string, dirty: readonly string[] = []) => ({ commit, dirty });

function head(more: Partial<ReleaseHead> = {}): ReleaseHead {
  const none = { steps: [], before: [], left: { apps: {} }, git: null, plan: null } as const;
  return { event: "release", id: "r1", environment: "dev", startedAt: at, source: "cli", ...none, ...more };
}

function journal(more: Partial<ReleaseHead>, outcome: "applied" | "half" = "applied"): Journal {
  const own = head(more);
  return { head: own, events: [own, { event: "end", outcome, at }] };
}

const startedCode = [{ app: "api" }, { app: "web" }, { app: "api" }] as never;

describe("after an apply", () => {
  const after = async (own: readonly string[], changed: readonly string[], dirty: readonly string[] = []) => {
    const listUncommitted = async (_: unknown, commit?: string) => ({
      paths: (commit === undefined ? own : changed).map((path) => `/srv/${path}`),
      problem: null,
    });
    const planned = { plan: { git: git(FIRST, dirty) }, startedCode, uncommitted: { paths: [], problem: null } };
    const ports = { runningCode: { listUncommitted }, workspace: { root: "/srv" } };
    return (await readCodeAfter(ports as never, planned as never, [])).changed;
  };

  test("code that was written or committed while its steps ran is named, and what the plan showed is not", async () => {
    expect(await after([], ["api.js"])).toEqual(["api.js"]);
    expect(await after([], ["api.js", "lib.js"], ["lib.js"])).toEqual(["api.js"]);
  });

  test("data that the app itself wrote is not a change, and data of a new commit is one", async () => {
    expect(await after(["db.json"], ["db.json"])).toEqual([]);
    expect(await after([], ["db.json"])).toEqual(["db.json"]);
    expect(await after(["api.js", "db.json"], ["api.js", "db.json"])).toEqual(["api.js"]);
  });

  const doubt = (commit: string | null, before: string | null, now: string | null, paths: readonly string[] = []) => {
    const planned = { plan: { git: commit === null ? null : git(commit) }, startedCode };
    const uncommitted = { paths: [], problem: before };
    return unknownCode({ ...planned, uncommitted } as never, [running(0), running(1, { name: "x" })], {
      paths,
      problem: now,
    });
  };
  const REASON = "its code could not be compared with the commit: ";

  test("code that could not be compared is unknown, once for each app, with the first reason", () => {
    expect(doubt(FIRST, null, null, ["api.js"])).toEqual([]);
    expect(doubt(null, "Git is silent", "Git is silent")).toEqual([]);
    expect(doubt(FIRST, null, "Git is gone")).toMatchObject([
      { app: "api", pmIds: [0], part: "code", reason: `${REASON}Git is gone` },
      { app: "web", pmIds: [], part: "code" },
    ]);
    const reason = `${REASON}Git is silent; now api.js differs from it`;
    expect(doubt(FIRST, "Git is silent", "Git is gone", ["api.js"])[0]).toMatchObject({ reason });
  });
});

describe("after a rollback", () => {
  const deploy = (id: string | null, former: string | null, root = "/d") => ({ id, former, root, subject: "" });
  const before = (path: string) => [
    { name: "api", pmId: 0, uniqueId: null, pid: 1, isStopped: false, definition: "", paths: [path] },
  ];
  const commitAfter = async (undone: Partial<ReleaseHead>, journals: readonly Journal[], present?: object | Error) => {
    const readState = async () => (present instanceof Error ? Promise.reject(present) : present);
    const services: unknown[] = [];
    const world = async ({ service }: { readonly service?: string }) => void services.push(service);
    const deployed = { world, changedFiles: async ({ id }: { readonly id: string }) => [`${id}.js`] };
    const found = await gitAfterwards({ deployed, revisions: { readState } } as never, head(undone), journals);
    return { found, services };
  };

  test.each<[string, Partial<ReleaseHead>, readonly Journal[], object | null]>([
    [
      "of a deploy is that of the folder before",
      { deploy: deploy("two", "one") },
      [journal({ deploy: deploy("one", null), git: git(FIRST) })],
      git(FIRST, ["one.js"]),
    ],
    ["of the first deploy of another tool is unknown", { deploy: deploy("two", "one") }, [], null],
    [
      "of a deploy is not that of another root",
      { deploy: deploy("two", "one") },
      [journal({ deploy: deploy("one", null, "/e"), git: git(FIRST) })],
      null,
    ],
    [
      "of a deploy is not that of another folder",
      { deploy: deploy("two", "one") },
      [journal({ deploy: deploy("zero", null), git: git(FIRST) })],
      null,
    ],
    [
      "of a deploy without a commit is unknown",
      { deploy: deploy("two", "one") },
      [journal({ deploy: deploy("one", null) })],
      null,
    ],
    [
      "to the checkout has no folder to look at",
      { deploy: deploy("two", null) },
      [journal({ deploy: deploy(null, "one"), git: git(FIRST, ["x.js"]) })],
      git(FIRST),
    ],
    [
      "of an apply in a deployed folder is that of the deploy",
      { before: before("/d/releases/one/api.js") },
      [journal({ deploy: deploy("one", null), git: git(FIRST) })],
      git(FIRST),
    ],
    [
      "of an apply in the checkout is that of now",
      { before: before("/srv/api.js") },
      [
        journal({ deploy: deploy("one", null), git: git(FIRST) }),
        journal({ deploy: deploy(null, "one"), git: git(FIRST) }),
      ],
      git(SECOND),
    ],
  ])("the commit %s", async (_what, undone, journals, expected) => {
    expect((await commitAfter(undone, journals, git(SECOND))).found).toEqual(expected);
  });

  test("the commit in place is read for the service, and is unknown if its folder is gone or there is no repository", async () => {
    const app = { environment: "dev", service: "shop", keys: [], envFiles: [] };
    const undone = { steps: [{ do: "update", app: "api", pmIds: [0] }], left: { apps: { api: app } } } as never;
    expect(await commitAfter(undone, [], git(FIRST))).toEqual({ found: git(FIRST), services: ["shop"] });
    expect((await commitAfter(undone, [])).found).toBeNull();
    const gone = new SvcmError("PM2_FAILED", { code: "ENOENT" });
    expect((await commitAfter(undone, [], gone)).found).toBeNull();
    await expect(commitAfter(undone, [], new TypeError("defect"))).rejects.toThrow("defect");
  });

  const kept = (undone: Partial<ReleaseHead>, commit: string | null, apps = ["api"]): RollbackPlan["keptCode"] => {
    const own = head({ id: "r2", steps: [{ do: "update", app: "api", pmIds: [0], newCode: true }], ...undone });
    const journals = [journal({ id: "r3", git: git(SECOND) }), journal({ ...own }), journal({ git: git(FIRST) })];
    return findKeptCode(own, commit === null ? null : git(commit), journals, apps);
  };

  test("new code that was started in place stays, unless its files were put back", () => {
    expect(kept({}, SECOND)).toEqual({ commit: SECOND, former: FIRST });
    expect(kept({}, null)).toEqual({ commit: null, former: FIRST });
    expect(kept({ environment: "production" }, null)).toEqual({ commit: null, former: null });
    expect(kept({}, FIRST)).toBeUndefined();
    expect(kept({}, SECOND, ["web"])).toBeUndefined();
    expect(kept({ steps: [{ do: "update", app: "api", pmIds: [0] }] }, SECOND)).toBeUndefined();
    expect(kept({ deploy: deploy("two", "one") }, SECOND)).toBeUndefined();
  });
});
