/** A release folder that was changed by hand is not the commit of its name. */
import { appendFileSync, chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  execute,
  releaseList,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  statusShow,
} from "../../src/core/index.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const CHANGED = ["app.cjs", "dist/version.txt"];
const shop = shopUnderPm2();
const { ports } = shop;
const input = { environment: "production" };
const inRelease = (id: string, name: string): string => join(shop.root, "releases", id, name);
const restart = async (): Promise<void> => {
  for (const record of await ports.processes.list()) await ports.processes.restart(record);
};

test("the present release is named as changed, and an apply of it is refused", async () => {
  const { deploy } = await shop.deploy();
  const file = inRelease(deploy.id, "dist/version.txt");
  chmodSync(inRelease(deploy.id, "app.cjs"), 0o600);
  expect((await execute(rolloutPlan, ports, input, caller)).issues).toEqual([]);
  appendFileSync(inRelease(deploy.id, "app.cjs"), "// by hand");
  writeFileSync(file, "fixed by hand");
  const { issues, git } = await execute(rolloutPlan, ports, input, caller);
  expect(issues).toMatchObject([
    { code: "RELEASE_CHANGED", message: expect.stringMatching(/: app\.cjs, dist\/version\.txt$/) },
  ]);
  expect(git?.dirty).toEqual(CHANGED);
  const refused = await execute(rolloutApply, ports, input, caller).catch((error: unknown) => error);
  expect(refused).toMatchObject({ kind: "WORKTREE_DIRTY" });
  const { verdict, next } = await execute(statusShow, ports, input, caller);
  expect([verdict, next]).toEqual(["attention", expect.stringMatching(/^svcm /)]);
});

test("a deploy does not restart apps that run a changed folder, and says so", async () => {
  await restart();
  const before = await ports.processes.list();
  const { deploy, release, notes } = await shop.deploy();
  expect([release, notes]).toEqual([
    null,
    [expect.stringMatching(/^RELEASE_CHANGED: .*app\.cjs.*run the folder as it is/)],
  ]);
  expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  expect(await shop.answer()).toBe("fixed by hand");
  expect(deploy.current).toBe(true);
});

test("a rollback to a changed folder says which files are not those of its commit", async () => {
  const changed = shop.current()!;
  const commit = shop.git("rev-parse", "HEAD");
  shop.publish({ VERSION: "2" });
  await shop.deploy();
  const { code } = await execute(rolloutRollbackPlan, ports, {}, caller);
  expect(code).toEqual({ commit, dirty: CHANGED });
  const { git } = await execute(rolloutRollback, ports, {}, caller);
  expect([git, shop.current()]).toEqual([{ commit, dirty: CHANGED }, changed]);
});

test("a deploy prepares a commit again if its folder was changed, and leaves that folder", async () => {
  const { deploy } = await shop.deploy();
  const changed = shop.releases().find((id) => id !== deploy.id);
  const { notes } = await shop.deploy({ revision: "HEAD~1" });
  expect(await shop.answer()).toBe("1");
  expect(shop.releases()).toContain(changed);
  expect(notes.join()).toMatch(
    /was changed after it was prepared: app\.cjs, dist\/version\.txt\. It stays as it is, and \w{7} is prepared/,
  );
  rmSync(inRelease(deploy.id, "build.cjs"));
  const again = await shop.deploy();
  expect(again.notes.join()).toMatch(/was changed after it was prepared: build\.cjs\./);
  expect(readFileSync(inRelease(again.deploy.id, "build.cjs"), "utf8")).not.toBe("");
});

test("the rollback of an apply in a release has the commit of that release, and not of the checkout", async () => {
  const { deploy } = await shop.deploy();
  for (const record of await ports.processes.list()) await ports.processes.stop(record);
  const { release } = await execute(rolloutApply, ports, { ...input, apps: ["web"] }, caller);
  expect(release?.git?.commit).toBe(deploy.commit);
  shop.publish({ VERSION: "only in the checkout" });
  const done = await execute(rolloutRollback, ports, {}, caller);
  expect(done).toMatchObject({ outcome: "applied", git: { commit: deploy.commit } });
});

test("the deploy of an app that writes at its start what is not its code is not half done", async () => {
  const app = readFileSync(join(shop.checkout, "app.cjs"), "utf8");
  const built = `require("node:fs").writeFileSync(__dirname + "/dist/built.cjs", String(process.hrtime.bigint()));`;
  const build = readFileSync(join(shop.checkout, "build.cjs"), "utf8");
  const project = `${readFileSync(join(shop.checkout, "svcm.yaml"), "utf8")}code: { exclude: [dist/built.cjs] }\n`;
  shop.publish({
    "svcm.yaml": project,
    VERSION: "builds",
    "app.cjs": `${built}${app}`,
    "build.cjs": `${build}${built}`,
  });
  const { deploy, release } = await shop.deploy();
  expect(release).toMatchObject({ outcome: "applied" });
  expect(await shop.answer()).toBe("builds");
  expect((await execute(rolloutPlan, ports, input, caller)).issues).toEqual([]);
  expect((await shop.deploy({ revision: deploy.commit })).notes).toEqual([]);
});

test("an edit of a package is named by a deploy of that commit and by a rollback to it", async () => {
  const build = readFileSync(join(shop.checkout, "build.cjs"), "utf8");
  const install = `
mkdirSync("node_modules/left-pad/lib", { recursive: true });
require("node:fs").writeFileSync("node_modules/left-pad/lib/index.js", "module.exports = 1;");`;
  shop.publish({ ".gitignore": ".env*\nuploads\ndist\nlogs\n.svcm\nnode_modules\n", "build.cjs": build + install });
  const { deploy } = await shop.deploy();
  appendFileSync(inRelease(deploy.id, "node_modules/left-pad/lib/index.js"), "// by hand");
  expect((await shop.deploy()).notes).toEqual([
    expect.stringMatching(/^RELEASE_CHANGED: .*: node_modules\/left-pad\. /),
  ]);
  shop.publish({ VERSION: "after" });
  const next = await shop.deploy();
  const { code, current, changed } = await execute(rolloutRollbackPlan, ports, {}, caller);
  expect(code).toEqual({ commit: deploy.commit, dirty: ["node_modules/left-pad"] });
  const path = join(shop.root, "current");
  expect([changed, current]).toEqual([true, { path, from: `releases/${next.deploy.id}`, to: `releases/${deploy.id}` }]);
});

test("a rollback that moves the link alone says so, and does it", async () => {
  const { git } = await execute(rolloutRollback, ports, {}, caller);
  expect(git?.dirty).toEqual(["node_modules/left-pad"]);
  const former = shop.current()!;
  const { releases } = await execute(releaseList, ports, {}, caller);
  const undone = releases.find(({ deploy }) => deploy?.former === former);
  const next = undone?.deploy?.id ?? "";
  rmSync(join(shop.root, "current"));
  symlinkSync(`releases/${next}`, join(shop.root, "current"));
  const { pid } = (await ports.processes.list())[0]!;
  const plan = await execute(rolloutRollbackPlan, ports, { release: undone!.id }, caller);
  expect(plan).toMatchObject({ changed: true, steps: [{ changed: false }], current: { to: `releases/${former}` } });
  await execute(rolloutRollback, ports, { release: undone!.id, plan: plan.id }, caller);
  expect([shop.current(), (await ports.processes.list())[0]?.pid]).toEqual([former, pid]);
});

test("a build that writes into the release that runs is not said to have touched nothing", async () => {
  await shop.deploy();
  const file = inRelease(shop.current()!, "app.cjs");
  const before = readFileSync(file, "utf8");
  const build = `require("node:fs").appendFileSync(${JSON.stringify(file)}, "//"); process.exit(1);`;
  shop.publish({ "build.cjs": build });
  expect((await shop.refused()).message).toMatch(
    /\nFiles of the release that runs changed while the new one was prepared: app\.cjs\. Nothing else that runs was touched\.$/,
  );
  // It is changed already, for example by hand, so the next failure is not the reason.
  shop.publish({ "build.cjs": "process.exit(1);" });
  expect((await shop.refused()).message).toMatch(
    /\nThe release that runs had changes already: app\.cjs\. Nothing else that runs was touched\.$/,
  );
  writeFileSync(file, before);
  shop.git("reset", "--quiet", "--hard", "HEAD~2");
});
