/** Deploys of a checkout with real Git, npm and PM2; the app answers the version that its build wrote. */
import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  bootRestore,
  bootShow,
  deployPlan,
  ecosystemDrift,
  execute,
  releaseList,
  rolloutPlan,
  rolloutRollback,
  statusShow,
} from "../../src/core/index.ts";
import { commandLine, start } from "../support/child.ts";
import { loadDuring } from "../support/http-load.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";
import { CANARY, caller, REGISTRY_CANARY, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2({ drainMs: 500 });
const { ports } = shop;
const plan = () => execute(rolloutPlan, ports, { environment: "production" }, caller);
const pids = async (): Promise<unknown> =>
  (await ports.processes.list()).map(({ name, pid, script }) => [name, pid, script]);

/** The apps run, and no file of the deploy root is one of a dead deploy. */
async function expectClean(): Promise<void> {
  expect((await plan()).issues.filter(({ code }) => code.startsWith("DEPLOY_"))).toEqual([]);
  expect(readdirSync(shop.root).toSorted()).toEqual(["current", "records", "releases", "repository.git", "shared"]);
  expect(readdirSync(join(shop.root, "records")).filter((name) => name.includes(".index"))).toEqual([]);
}

test("a deploy makes the commit run at its real path, and shares what the releases share", async () => {
  const { deploy, release } = await shop.deploy();
  expect(deploy).toMatchObject({
    state: "done",
    current: true,
    subject: "version 1",
    commit: shop.git("rev-parse", "HEAD"),
  });
  expect(release).toMatchObject({
    outcome: "applied",
    git: { commit: deploy.commit, dirty: [] },
    deploy: { id: deploy.id, former: null },
  });
  expect(await shop.answer()).toBe("1");
  const folder = join(shop.root, "releases", deploy.id);
  expect(await ports.processes.list()).toMatchObject([{ script: join(folder, "app.cjs"), cwd: folder }]);
  expect(shop.current()).toBe(deploy.id);
  // It has every commit.
  expect(statSync(join(shop.root, "repository.git")).mode & 0o777).toBe(0o700);
  expect(realpathSync(join(folder, "uploads"))).toBe(join(shop.checkout, "uploads"));
  expect(readlinkSync(join(folder, ".env.production"))).toBe(join(shop.root, "shared/.env.production"));
  // PM2 adds the number of the process to the name of the log.
  expect(readdirSync(join(shop.root, "shared/logs"))).toEqual([expect.stringMatching(/^web.*\.log$/)]);
  expect([statSync(shop.root).mode & 0o777, statSync(join(shop.root, "records")).mode & 0o777]).toEqual([0o755, 0o700]);
});

test("afterwards, plan and drift of the checkout are those of the release, and the same commit has nothing to do", async () => {
  expect(await plan()).toMatchObject({ changed: false, unchanged: ["web"], issues: [] });
  expect((await execute(ecosystemDrift, ports, { environment: "production" }, caller)).drift).toEqual([]);
  expect((await execute(bootShow, ports, {}, caller)).findings.filter(({ code }) => code === "BOOT_VALUE")).toEqual([]);
  const before = await pids();
  expect(await shop.deploy()).toMatchObject({ release: null, deploy: { state: "done" } });
  expect([await pids(), shop.releases().length]).toEqual([before, 1]);
});

test("a second deploy loses no request, and a rollback brings code and current back", async () => {
  const first = shop.current();
  shop.publish({ VERSION: "2" });
  const load = await loadDuring(shop.port, () => shop.deploy());
  expect(load.sent).toBeGreaterThan(20);
  expect(load.failed).toBe(0);
  expect(await shop.answer()).toBe("2");
  const second = shop.current();
  const release = await execute(rolloutRollback, ports, {}, caller);
  expect(release).toMatchObject({ outcome: "applied", deploy: { id: first, former: second } });
  expect(release.git?.commit.slice(0, 7)).toBe(first?.slice(-7));
  expect([await shop.answer(), shop.current()]).toEqual(["1", first]);
  expect((await plan()).changed).toBe(false);
  const locked = await ports.deployed
    .withLock(shop.root, 1000, () => execute(rolloutRollback, ports, { lockTimeoutMs: 50 }, caller))
    .catch((error: unknown) => error);
  expect(locked).toMatchObject({ kind: "DEPLOY_LOCKED" });
  await execute(rolloutRollback, ports, {}, caller);
  expect([await shop.answer(), shop.current()]).toEqual(["2", second]);
  await expectClean();
});

test("svcm's repository has the branches and tags of the source, and keeps the commits of its releases", async () => {
  shop.git("push", "--quiet", "origin", "main:refs/pull/1/head");
  shop.git("tag", "v2");
  shop.git("push", "--quiet", "origin", "v2");
  await shop.deploy();
  const bare = `--git-dir=${join(shop.root, "repository.git")}`;
  const refs = shop.git(bare, "for-each-ref", "--format=%(refname) %(objectname:short=7)").split("\n");
  const kept = shop.releases().map((id) => `refs/svcm/${id} ${id.slice(-7)}`);
  const head = shop.git("rev-parse", "--short=7", "HEAD");
  expect(refs).toEqual([`refs/heads/main ${head}`, ...kept, `refs/tags/v2 ${head}`]);
});

test("a failing build touches nothing, removes its folder, and shows its last lines without a secret", async () => {
  const before = [await pids(), shop.current(), shop.releases()];
  shop.publish({ VERSION: "unbuildable" });
  const error = await shop.refused();
  expect([error.kind, error.body.code]).toEqual(["DEPLOY_FAILED", "DEPLOY_COMMAND_FAILED"]);
  expect(error.body.details).toMatch(
    /^The build \(npm run build\) ended with exit code 7\.\n[^]*no token: undefined \[REDACTED\] \[REDACTED\]\nNothing that runs was touched\.$/,
  );
  expect([await pids(), shop.current(), shop.releases()]).toEqual(before);
  const kept = readdirSync(join(shop.root, "records")).map((name) =>
    readFileSync(join(shop.root, "records", name), "utf8"),
  );
  for (const canary of [CANARY, REGISTRY_CANARY]) expect(kept.join("\n")).not.toContain(canary);
  await expectClean();
});

longTest("a release that crashes leaves the former code, definition and current", async () => {
  const [, , script] = ((await pids()) as unknown[][])[0] ?? [];
  const before = shop.current();
  shop.publish({ VERSION: "crash" });
  const error = await shop.refused();
  expect(error).toMatchObject({ kind: "APPLY_REVERTED", body: { hint: expect.stringContaining("svcm deploy") } });
  expect([await shop.answer(), shop.current(), ((await pids()) as unknown[][])[0]?.[2]]).toEqual(["2", before, script]);
  const [newest] = (await execute(releaseList, ports, {}, caller)).releases;
  expect(newest).toMatchObject({ outcome: "reverted", deploy: { subject: "version crash" } });
  expect((await plan()).changed).toBe(false);
});

longTest("the newest releases stay, the others go, unless files were written into them", async () => {
  const two = shop.current() ?? "";
  shop.publish({ VERSION: "3" });
  await shop.deploy();
  for (const name of ["a", "b", "c", "d"])
    writeFileSync(join(shop.root, "releases", two, `orders-${name}.sqlite`), "data");
  for (const version of ["4", "5"]) {
    shop.publish({ VERSION: version });
    const { notes } = await shop.deploy();
    if (version === "5")
      expect(notes.join("\n")).toMatch(
        /RELEASE_HAS_DATA: .*: orders-\w\.sqlite(?:, orders-\w\.sqlite){2} and 1 more\./,
      );
  }
  expect(await shop.answer()).toBe("5");
  const present = shop.releases();
  expect(present).toContain(two);
  expect(present).toHaveLength(3);
  const error = await execute(
    rolloutRollback,
    ports,
    { release: (await execute(releaseList, ports, {}, caller)).releases.at(-2)!.id },
    caller,
  ).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ body: { code: "RELEASE_GONE" } });
  expect(await shop.answer()).toBe("5");
});

longTest("a current that cannot be switched makes the deploy half done, and the next one finishes it", async () => {
  const before = shop.current();
  const app = readFileSync(join(shop.checkout, "app.cjs"), "utf8");
  const next = join(shop.root, "current.new");
  const blocking = `require("node:fs").mkdirSync(${JSON.stringify(join(next, "in-the-way"))}, { recursive: true });`;
  const commit = shop.publish({ "app.cjs": `${blocking}\n${app}`, VERSION: "6" });
  const error = await shop.refused();
  expect(error).toMatchObject({
    kind: "APPLY_HALF",
    body: {
      details: expect.stringMatching(/^The apps run [0-9a-f]{7}, but current was not switched: /),
      hint: `Correct that, then: svcm deploy ${commit.slice(0, 10)}`,
    },
  });
  expect([await shop.answer(), shop.current()]).toEqual(["6", before]);
  const message = expect.stringMatching(
    / ended half done: .* To finish it: svcm deploy \w{10}\. To go back: svcm rollback /,
  );
  expect((await plan()).issues).toContainEqual(expect.objectContaining({ code: "DEPLOY_INTERRUPTED", message }));
  rmSync(next, { recursive: true });
  expect((await shop.deploy()).deploy).toMatchObject({ state: "done", current: true, commit });
  shop.publish({ "app.cjs": app });
});

async function killedAt(event: string, when: "before" | "after"): Promise<void> {
  const env = { HOME: shop.own.folder, PM2_HOME: shop.own.home };
  const child = start(commandLine("deploy-and-die", shop.checkout, event, when), env);
  expect((await child.ended).signal).toBe("SIGKILL");
}

const SAMPLE = [
  ["command", "after"],
  ["release", "after"],
] as const;
const POINTS = [
  ...SAMPLE,
  ["begin", "after"],
  ["command", "before"],
  ["prepared", "before"],
  ["prepared", "after"],
  ["apply", "after"],
  ["release", "before"],
  ["switch", "before"],
  ["switch", "after"],
  ["end", "before"],
  ["end", "after"],
] as const;
let version = 100;

longTest.each(sampleOrAll(POINTS, SAMPLE))(
  "after a kill at %s, %s it, the next deploy finishes",
  async (event, when) => {
    version += 1;
    shop.publish({ VERSION: String(version) });
    await killedAt(event, when);
    const isOver = (event === "end" && when === "after") || (event === "prepared" && when === "after");
    expect((await plan()).issues.some(({ code }) => code === "DEPLOY_INTERRUPTED")).toBe(!isOver);
    const { next } = await execute(statusShow, ports, { environment: "production" }, caller);
    expect(/^svcm deploy [0-9a-f]{10}$/.test(next ?? "")).toBe(!isOver);
    const { deploy } = await shop.deploy();
    expect(deploy).toMatchObject({ state: "done", current: true });
    expect([await shop.answer(), shop.current()]).toEqual([String(version), deploy.id]);
    expect(shop.releases().filter((id) => id.endsWith(deploy.commit.slice(0, 7)))).toEqual([deploy.id]);
    expect((await plan()).changed).toBe(false);
    await expectClean();
  },
);

test("a commit that was not pushed is refused by name", async () => {
  shop.git("commit", "--quiet", "--allow-empty", "--message", "local");
  const error = await shop.refused({ revision: "HEAD" });
  expect(error.body).toMatchObject({ code: "REVISION_NOT_PUBLISHED", hint: "Push it first, then deploy again." });
  shop.git("reset", "--quiet", "--hard", "HEAD~1");
});

test("a revision that looks like an option, or has two lines, runs nothing", async () => {
  const git = (await ports.deploys()).git(join(shop.root, "repository.git"));
  const revisions = ["--upload-pack=touch written", "--output=written", "no-such-branch", "main\nmain"];
  const found = revisions.flatMap((one) => [git.resolve("checkout", one), git.resolve("repository", one)]);
  expect((await Promise.all(found)).filter(Boolean)).toEqual([]);
  expect((await shop.refused({ revision: revisions[0] })).body.code).toBe("REVISION_NOT_FOUND");
  expect(existsSync(join(shop.checkout, "written"))).toBe(false);
});

longTest("a script outside of the release is refused before anything is touched", async () => {
  const before = await pids();
  const text = readFileSync(join(shop.checkout, "ecosystem.config.cjs"), "utf8");
  shop.publish({
    "ecosystem.config.cjs": text.replace('"./app.cjs"', JSON.stringify(join(shop.own.folder, "other/app.cjs"))),
  });
  expect((await shop.refused()).body).toMatchObject({
    code: "DEPLOY_PATH_OUTSIDE",
    path: join(shop.own.folder, "other/app.cjs"),
  });
  // The checkout itself is mapped to the release.
  shop.publish({ "ecosystem.config.cjs": text.replace('"./app.cjs"', JSON.stringify(join(shop.checkout, "app.cjs"))) });
  const { deploy } = await shop.deploy();
  expect(await ports.processes.list()).toMatchObject([{ script: join(shop.root, "releases", deploy.id, "app.cjs") }]);
  expect(await pids()).not.toEqual(before);
  // So is a link to it, or to current.
  symlinkSync(shop.checkout, join(shop.own.folder, "live"));
  symlinkSync(join(shop.root, "current"), join(shop.own.folder, "served"));
  for (const link of ["live", "served"]) {
    const script = JSON.stringify(join(shop.own.folder, link, "app.cjs"));
    const cwd = JSON.stringify(join(shop.own.folder, link));
    shop.publish({ "ecosystem.config.cjs": text.replace('"./app.cjs"', `${script},"cwd":${cwd}`) });
    const folder = join(shop.root, "releases", (await shop.deploy()).deploy.id);
    expect(await ports.processes.list()).toMatchObject([{ cwd: folder, script: join(folder, "app.cjs") }]);
  }
  expect(lstatSync(join(shop.root, "current")).isSymbolicLink()).toBe(true);
});

longTest("a crash and a reboot start the release that was deployed, also if a newer one is prepared", async () => {
  const { deploy } = await shop.deploy();
  const answer = await shop.answer();
  shop.publish({ VERSION: "only prepared" });
  await execute(deployPlan, ports, { environment: "production" }, caller);
  const folder = join(shop.root, "releases", deploy.id);
  const started = async (): Promise<boolean> => {
    const [app] = await ports.processes.list();
    return app?.status === "online" && app.pid !== pid && app.cwd === folder;
  };
  const [{ pid } = { pid: null }] = await ports.processes.list();
  process.kill(pid!, "SIGKILL");
  await expect.poll(started).toBe(true);
  const daemon = Number(readFileSync(join(shop.own.home, "pm2.pid"), "utf8"));
  process.kill(daemon, "SIGKILL");
  await expect.poll(() => existsSync(`/proc/${daemon}`)).toBe(false);
  expect(await execute(bootRestore, ports, {}, caller)).toMatchObject({ state: "restored" });
  expect([await started(), await shop.answer(), shop.current()]).toEqual([true, answer, deploy.id]);
});
