import { expect, test } from "vitest";
import { makeRepository } from "../support/git.ts";
import { svcm } from "../support/svcm.ts";
import { longTest } from "../support/runs.ts";

const FILE = "pm2/ecosystem.production.config.cjs";
const HELPER = "pm2/shared.cjs";
const CANARY = "canary-77aa";

const declaration = (more: string): string => `
const { root, limits } = require("./shared.cjs");
module.exports = { apps: [{ name: "api", script: "api.js", cwd: root, ...limits, ${more} }] };`;
const helper = (killMs: number): string =>
  `module.exports = { root: require("node:path").join(__dirname, ".."), limits: { kill_timeout: ${killMs} } };`;

function repository() {
  const made = makeRepository({
    "deployments.yaml": "deployments: []\n",
    "api.js": "",
    [HELPER]: helper(1000),
    [FILE]: declaration(`env: { MODE: "1", API_TOKEN: "${CANARY}" }`),
  });
  made.write(HELPER, helper(9000));
  made.write(FILE, declaration(`env: { MODE: "2", API_TOKEN: "${CANARY}-2" }, args: ["--password", "${CANARY}"]`));
  return made;
}

const FROM = ["plan", "--environment", "production", "--from", "HEAD"];

test("--from compares with the ecosystem file and its modules at a revision, without PM2 and without showing a value", async () => {
  const { root } = repository();
  const { code, stdout, stderr } = await svcm([...FROM, "--json"], { root });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).not.toContain(CANARY);
  const plan = JSON.parse(stdout);
  expect(plan).toMatchObject({
    id: null,
    pm2: null,
    changed: true,
    summary: { update: 1 },
    from: { revision: "HEAD" },
  });
  expect(plan.git.dirty).toEqual([FILE, HELPER]);
  expect(plan.steps[0].why.map(({ field, key }: { field: string; key: string }) => key ?? field)).toEqual([
    "args",
    "API_TOKEN",
    "MODE",
    "killTimeout",
  ]);
});

longTest("the text names fields and keys without a value, and says what happens to requests", async () => {
  const { root } = repository();
  const { stdout } = await svcm(FROM, { root });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(`with changes to ${FILE}, ${HELPER} `);
  expect(stdout).toContain("~ api: restart: it is away until it runs again");
  expect(stdout).toContain("killTimeout: 1000 to 9000");
  expect(stdout).toContain("env: API_TOKEN changed, MODE changed");
  expect(stdout).not.toContain(CANARY);
});

longTest("Markdown is suitable for a comment: names are code", async () => {
  const { root } = repository();
  const { stdout } = await svcm([...FROM, "--format", "markdown"], { root });
  expect(stdout).toContain("### Plan for `production`: 1 to update");
  expect(stdout).toContain("- `api`: restart: it is away until it runs again");
  expect(stdout).toContain("  - `env`: `API_TOKEN` changed, `MODE` changed");
  expect(stdout).not.toContain(CANARY);
});

longTest("--exit-code says whether there are steps", async () => {
  const made = repository();
  expect((await svcm([...FROM, "--exit-code"], made)).code).toBe(1);
  made.commit();
  const { code, stdout } = await svcm([...FROM, "--exit-code"], made);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^production: nothing to do\.\n/);
});

longTest("svcm diff with an environment ends with the plan for that environment", async () => {
  const { root } = repository();
  const text = await svcm(["diff", "HEAD", "--environment", "production", "--format", "markdown"], { root });
  expect(text.stdout.indexOf("### Plan for `production`")).toBeGreaterThan(
    text.stdout.indexOf("### `deployments.yaml`"),
  );
  const json = await svcm(["diff", "HEAD", "--environment", "production", "--json", "--exit-code"], { root });
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { changes: [], plan: { summary: { update: 1 } } }]);
});

longTest("an unknown revision or app is refused, and says what is accepted", async () => {
  const { root } = repository();
  const revision = await svcm(["plan", "-e", "production", "--from", "nowhere", "--json"], { root });
  expect([revision.code, JSON.parse(revision.stdout)]).toMatchObject([2, { code: "REVISION_NOT_FOUND" }]);
  const app = await svcm([...FROM, "--app", "apl", "--json"], { root });
  expect([app.code, JSON.parse(app.stdout).details]).toMatchObject([3, expect.stringContaining('Accepted: "api"')]);
});

longTest("if the file fails at the revision, the error names the paths of the work tree", async () => {
  const made = repository();
  made.write(HELPER, "throw new Error('broken')");
  made.commit();
  made.write(HELPER, helper(1));
  const { code, stdout } = await svcm([...FROM, "--json"], made);
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { details: expect.stringContaining("At HEAD: ") }]);
  expect(stdout).not.toContain("svcm-revision-");
});

longTest("if PM2 does not run, the plan starts every app", async () => {
  const { root } = repository();
  const { stdout } = await svcm(["plan", "-e", "production", "--json"], { root });
  expect(JSON.parse(stdout)).toMatchObject({ steps: [{ do: "start", app: "api" }, { do: "save" }] });
});

longTest(
  "a file without a list of apps is refused instead of having nothing to do; an empty list is meant",
  async () => {
    const plan = (exported: string) => {
      const { root } = makeRepository({
        "deployments.yaml": "deployments: []\n",
        [FILE]: `module.exports = ${exported};`,
      });
      return svcm([...FROM, "--json"], { root });
    };
    const misspelled = await plan(`{ app: [{ name: "api", script: "api.js" }] }`);
    expect(JSON.parse(misspelled.stdout).issues).toMatchObject([{ code: "ECOSYSTEM_APPS_MISSING", severity: "error" }]);
    expect(JSON.parse((await plan("{ apps: [] }")).stdout).issues).toEqual([]);
  },
);

test("the verdict of a refused plan is not that there is nothing to do", async () => {
  const { root } = makeRepository({ "deployments.yaml": "deployments: []\n", [FILE]: "module.exports = {};" });
  const { stdout } = await svcm(FROM, { root });
  expect(stdout).toContain("no step, because of errors");
  expect(stdout).toContain("ECOSYSTEM_APPS_MISSING");
  expect(stdout).not.toContain("nothing to do");
});
