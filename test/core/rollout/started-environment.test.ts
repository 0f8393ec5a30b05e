/** Processes that were started with the file of another environment, or that another PM2 of this machine runs already. */
import { expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { environmentSwitch } from "../../../src/core/rollout/plan.ts";
import { findForeignRuns, findStartedEnvironments } from "../../../src/core/rollout/started-environment.ts";
import { record } from "../../support/process-record.ts";
import { running } from "./control/played-pm2.ts";
import { expectedOf, loaded, type Fields } from "./loaded.ts";
import { playRollout } from "./played-rollout.ts";

const { declaration } = record();
const runs = (pmId: number, environment: Readonly<Record<string, string>>, more: Partial<ProcessRecord> = {}) =>
  running(pmId, { ...more, declaration: { ...declaration, ...more.declaration, environment } });
const A = (value: string, more: Fields = {}): Fields => ({ ...more, env: { A: value } });

interface Scene {
  /** Apps by environment; null for a file that fails. */
  readonly others?: Readonly<Record<string, readonly Fields[] | null>>;
  readonly expected?: readonly Fields[];
  /** PM2's unique ids that an apply has recorded for `api`. */
  readonly applied?: readonly string[];
}

async function find(list: readonly ProcessRecord[], scene: Scene = {}) {
  const { others = { production: [A("prod")] }, expected = [A("dev")], applied } = scene;
  const files: Scene["others"] = { dev: expected, ...others };
  const { ports } = playRollout();
  const read: string[] = [];
  const ecosystems = {
    list: async () => Object.keys(files).map((name) => `ecosystem.${name}.config.cjs`),
    load: async (path: string) => {
      const name = /ecosystem\.(\w+)\.config/.exec(path)?.[1] ?? "";
      read.push(name);
      const apps = files[name];
      if (apps === null || apps === undefined) throw new Error("It cannot be run.");
      return loaded(apps);
    },
  };
  const app = { environment: "dev", service: "", keys: [], envFiles: [], processes: applied ?? [] };
  const found = await findStartedEnvironments({ ...ports, ecosystems } as never, {
    environment: "dev",
    expected: expectedOf(expected),
    running: list,
    appliedApps: applied === undefined ? {} : { api: app },
    expecting: { machine: { cpuCores: 4, pm2Home: "/home/.pm2" }, digest: (text: string) => text },
  });
  return { found: Object.fromEntries(found), read };
}

const production = { api: "production" };
test.each<[string, readonly ProcessRecord[], Scene, object]>([
  ["has the values of another environment", [runs(0, { A: "prod" })], {}, production],
  ["has more variables than that", [runs(0, { A: "prod", B: "1" })], {}, production],
  ["has those of its own", [runs(0, { A: "dev" })], {}, {}],
  ["has those of none", [runs(0, { A: "x" })], {}, {}],
  ["has no variable", [runs(0, {})], {}, {}],
  ["was started by an apply", [runs(0, { A: "prod" })], { applied: ["u0"] }, {}],
  ["was started since an apply", [runs(0, { A: "prod" })], { applied: ["u1"] }, production],
  ["has no unique id", [runs(0, { A: "prod" }, { uniqueId: null })], { applied: ["u0"] }, production],
  ["has a sibling of the same environment", [runs(0, { A: "prod" }), runs(1, { A: "prod" })], {}, production],
  ["has a sibling of none", [runs(0, { A: "prod" }), runs(1, { A: "x" })], {}, {}],
  ["has a sibling as declared", [runs(0, { A: "prod" }), runs(1, { A: "dev" })], {}, {}],
  ["is another app", [runs(0, { A: "prod" }, { name: "web" })], {}, {}],
  [
    "has its script",
    [runs(0, {}, { script: "/srv/prod.js" })],
    { expected: [{}], others: { production: [{ script: "/srv/prod.js" }] } },
    production,
  ],
  [
    "has its arguments",
    [runs(0, {}, { declaration: { ...declaration, argsDigest: '["x"]' } })],
    { expected: [{}], others: { production: [{ args: "x" }] } },
    production,
  ],
  ["differs from both, and the other one declares less", [runs(0, { A: "x" })], { others: { production: [{}] } }, {}],
  [
    "has also what both declare",
    [runs(0, { A: "prod", B: "1" })],
    { expected: [{ env: { A: "dev", B: "1" } }], others: { production: [{ env: { A: "prod", B: "1" } }] } },
    production,
  ],
  ["is not in the other file", [runs(0, { A: "prod" })], { others: { production: [A("prod", { name: "web" })] } }, {}],
  [
    "is in a file behind one that fails",
    [runs(0, { A: "prod" })],
    { others: { production: null, staging: [A("prod")] } },
    { api: "staging" },
  ],
  [
    "fits two files, of which one is named",
    [runs(0, { A: "prod" })],
    { others: { production: [A("prod")], staging: [A("prod")] } },
    { api: "staging" },
  ],
])("a process that %s", async (_what, list, scene, expected) => {
  expect((await find(list, scene)).found).toEqual(expected);
});

test("other files are run only if a process differs, and its own never again", async () => {
  expect((await find([runs(0, { A: "dev" })])).read).toEqual([]);
  expect((await find([])).read).toEqual([]);
  expect((await find([runs(0, { A: "prod" })])).read).toEqual(["production"]);
});

const api = { name: "api", script: "/srv/api.js", cwd: "/srv" };
const run = { script: "/srv/api.js", pid: 7, user: "root", home: "/root/.pm2" };
test.each<[string, readonly (typeof api)[], readonly string[], object, number]>([
  ["is started", [api], ["api"], {}, 1],
  ["is not started", [api], [], {}, 0],
  ["is started, with a script of no checkout", [{ ...api, script: "/usr/bin/npm" }], ["api"], {}, 0],
  ["is started in a release of the checkout", [api], ["api"], { root: "/d/releases/1", checkout: "/srv" }, 1],
  ["is started, and another one runs", [{ ...api, script: "/srv/web.js" }], ["api"], {}, 0],
])("an app that %s, although another PM2 runs it, gets as many warnings", (_what, apps, started, place, count) => {
  const queried: unknown[] = [];
  const runsElsewhere = (scripts: readonly string[]) => (queried.push(...scripts), [run, { ...run, pid: 8 }]);
  const ports = { processes: { runsElsewhere }, workspace: { root: "/srv", ...place } };
  const issues = findForeignRuns(ports as never, apps, new Set(started));
  expect(issues).toHaveLength(count);
  if (count > 0)
    expect(issues[0]).toMatchObject({
      severity: "warning",
      path: ["apps", "api"],
      message: "api: the PM2 of root with PM2_HOME /root/.pm2 already runs /srv/api.js (pid 7), so it would run twice",
    });
  expect(queried).not.toContain("/usr/bin/npm");
});

test.each<[string, readonly string[], readonly (readonly [string, string])[], readonly string[], string | undefined]>([
  ["one app", ["api"], [], ["api"], "api would move from production to dev: this PM2 was last applied for production."],
  ["two of the same one", ["api", "web", "api"], [], ["api", "web"], "api, web would move from production to dev: "],
  ["two of different ones", ["api", "jobs"], [], ["api", "jobs"], "api would move from production to dev: "],
  [
    "one that was started by hand",
    ["api"],
    [["api", "staging"]],
    ["api"],
    "api may move from staging to dev: it runs with the values that staging declares, and PM2 does not record the environment of a start. To plan for it: svcm plan --environment staging. To switch: svcm apply --environment dev --switch-environment.",
  ],
  [
    "two that were",
    ["api", "x"],
    ["api", "x"].map((app) => [app, "s"] as const),
    ["api", "x"],
    "api, x may move from s to dev: they run with",
  ],
  ["one that does not run", ["api"], [], ["web"], undefined],
  ["one of this environment", ["own"], [], ["own"], undefined],
  ["one that svcm never applied", ["new"], [], ["new"], undefined],
])("a move of %s from another environment", (_what, apps, started, names, message) => {
  const applied = (environment: string) => ({ environment, service: "", keys: [], envFiles: [] });
  const [other, own] = [applied("production"), applied("dev")];
  const appliedApps = { api: other, web: other, jobs: applied("staging"), own };
  const input = { appliedApps, startedAs: new Map(started), running: names.map((name) => running(0, { name })) };
  const issues = environmentSwitch(input, apps, "dev");
  expect(issues.map(({ code, path, severity }) => `${code} ${path.join(".")} ${severity}`)).toEqual(
    message === undefined ? [] : [`ENVIRONMENT_SWITCH apps.${apps[0]} error`],
  );
  if (message !== undefined) expect(issues[0]?.message.startsWith(message)).toBe(true);
});
