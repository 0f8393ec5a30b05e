/** Changes around the releases between two deploys: values of a build, env files, folders, branches and names. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, metricsShow, projectDoctor, rolloutPlan, rolloutRollback, statusShow } from "../../src/core/index.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";
import { longTest } from "../support/runs.ts";

const shop = shopUnderPm2();
const { ports } = shop;
const envFile = join(shop.checkout, ".env.production");
const plan = () => execute(rolloutPlan, ports, { environment: "production" }, caller);

test("an env file that is nowhere is named in the checkout, because the folder of the release is removed", async () => {
  renameSync(envFile, `${envFile}.away`);
  const { body } = await shop.refused();
  expect(body).toMatchObject({ code: "ENV_FILE_NOT_FOUND", path: envFile });
  expect(body.hint).toContain(`Create ${envFile}`);
  expect(shop.releases()).toEqual([]);
  renameSync(`${envFile}.away`, envFile);
});

test("an app that a commit renames takes the place of the former one", async () => {
  await shop.deploy();
  const file = readFileSync(join(shop.checkout, "ecosystem.config.cjs"), "utf8");
  shop.publish({ "ecosystem.config.cjs": file.replace('"name":"web"', '"name":"api"') });
  await shop.deploy();
  expect((await ports.processes.list()).map(({ name, status }) => `${name} ${status}`)).toEqual(["api online"]);
  expect(await shop.answer()).toBe("1");
});

test("doctor needs no build of the checkout, in which no app runs", async () => {
  const script = join(shop.checkout, "app.cjs");
  renameSync(script, `${script}.unbuilt`);
  const { response } = await execute(projectDoctor, ports, { version: "0", offline: false }, caller);
  expect(response.issues.map(({ code }) => code)).not.toContain("ECOSYSTEM_SCRIPT_MISSING");
  renameSync(`${script}.unbuilt`, script);
});

longTest(
  "a build is repeated if a value that it saw has changed, and the same values are not built twice",
  async () => {
    const build = 'mkdir -p dist && printf %s "$GREETING" > dist/version.txt';
    const text = readFileSync(join(shop.checkout, "svcm.yaml"), "utf8");
    const deploy = `deploy: { shared: [uploads], keep: 2, env: [GREETING], build: '${build}' }`;
    shop.publish({ "svcm.yaml": text.replace(/^deploy: .*$/m, deploy) });
    const greet = (word: string): void =>
      writeFileSync(envFile, `${readFileSync(envFile, "utf8").replace(/^GREETING=.*\n/m, "")}GREETING=${word}\n`);
    greet("hello");
    const first = await shop.deploy();
    expect(await shop.answer()).toBe("hello");
    greet("good day");
    const second = await shop.deploy();
    expect(await shop.answer()).toBe("good day");
    expect(second.deploy.commit).toBe(first.deploy.commit);
    expect(second.notes.join()).toContain(`${first.deploy.id} was built with other values of deploy.env`);
    expect(second.release?.cannotUndo).toEqual([]);
    expect((await shop.deploy()).deploy.id).toBe(second.deploy.id);
  },
);

longTest(
  "a plan does not lead to the checkout if the folder of the release is gone, and a deploy makes it again",
  async () => {
    const current = readlinkSync(join(shop.root, "current"));
    renameSync(join(shop.root, current), join(shop.root, "away"));
    const commit = shop.git("rev-parse", "HEAD").slice(0, 10);
    await expect(plan()).rejects.toMatchObject({
      kind: "APPLY_REFUSED",
      body: { code: "RELEASE_GONE", hint: expect.stringContaining(`svcm deploy ${commit}`) },
    });
    const { points } = await execute(statusShow, ports, { environment: "production" }, caller);
    expect(points.map(({ message }) => message).join()).toContain(current);
    const { ecosystem } = await execute(metricsShow, ports, { environment: "production" }, caller);
    expect(ecosystem).toMatchObject({ code: "RELEASE_GONE", expectedProcessCount: null });
    await shop.deploy();
    expect(shop.current()).not.toBe(current.replace("releases/", ""));
    expect(await plan()).toMatchObject({ changed: false });
    rmSync(join(shop.root, "away"), { recursive: true });
  },
);

longTest(
  "a rollback that was killed before it moved current is named, and neither a plan nor a timer hides it",
  async () => {
    const before = shop.current() ?? "";
    shop.publish({ VERSION: "worse" });
    const { deploy, release } = await shop.deploy();
    const { id } = await execute(rolloutRollback, ports, { release: release?.id }, caller);
    // As SIGKILL before the last two acts leaves it.
    const journal = join(shop.own.home, "svcm/shop/releases", id, "journal.jsonl");
    const lines = readFileSync(journal, "utf8").trimEnd().split("\n");
    expect(lines.at(-1)).toContain('"end"');
    writeFileSync(journal, `${lines.slice(0, -1).join("\n")}\n`);
    rmSync(join(shop.root, "current"));
    symlinkSync(`releases/${deploy.id}`, join(shop.root, "current"));
    const { issues } = await plan();
    const next = `To finish it: svcm rollback ${release?.id}. To undo it: svcm rollback ${id}`;
    expect(issues).toContainEqual(
      expect.objectContaining({ code: "ROLLBACK_INTERRUPTED", message: expect.stringContaining(next) }),
    );
    expect((await shop.refused({ retry: false })).body.code).toBe("DEPLOY_TRIED");
    await execute(rolloutRollback, ports, { release: release?.id }, caller);
    expect(shop.current()).toBe(before);
    expect(await plan()).toMatchObject({ changed: false, issues: [] });
  },
);

longTest("a root whose owner was not written to its end belongs to the next deploy", async () => {
  const owner = join(shop.root, "records/owner.json");
  const text = readFileSync(owner, "utf8");
  truncateSync(owner, 0);
  await shop.deploy();
  expect(readFileSync(owner, "utf8")).toBe(text);
});

test("a shared path that leads nowhere is refused, with the way to correct it", async () => {
  shop.publish({ VERSION: "after the move" });
  const moved = `${envFile}.moved`;
  renameSync(envFile, moved);
  const { body } = await shop.refused();
  const link = join(shop.root, "shared/.env.production");
  expect(body.code).toBe("SHARED_UNUSABLE");
  expect(body.details).toContain(`${link} leads to ${envFile}, which does not exist`);
  expect(body.hint).toMatch(/ln -sfn .* /);
  renameSync(moved, envFile);
  appendFileSync(envFile, "\n");
  expect(existsSync(link)).toBe(true);
});

longTest(
  "a branch that was renamed in the source is named with the present one, and so is a tag that was not pushed",
  async () => {
    const origin = shop.git("remote", "get-url", "origin");
    shop.git("tag", "local");
    expect((await shop.refused({ revision: "local" })).body.details).toContain("has that commit, but no branch or tag");
    shop.git(`--git-dir=${origin}`, "branch", "--move", "main", "trunk");
    const { body } = await shop.refused();
    expect(body.details).toContain("The checkout follows the branch main");
    expect(body.details).toContain("Its default branch is trunk.");
    expect((await shop.deploy({ revision: "trunk" })).deploy.revision).toBe("trunk");
  },
);

longTest("a daemon that a deploy starts is outside of the releases, which can be removed", async () => {
  for (const record of await ports.processes.list()) await ports.processes.remove(record);
  const pidOf = (): number => Number(readFileSync(join(shop.own.home, "pm2.pid"), "utf8"));
  const former = pidOf();
  process.kill(former, "SIGKILL");
  await expect.poll(() => existsSync(`/proc/${former}`)).toBe(false);
  const { deploy } = await shop.deploy({ revision: "trunk" });
  expect(deploy).toMatchObject({ current: true });
  expect(pidOf()).not.toBe(former);
  expect(readlinkSync(`/proc/${pidOf()}/cwd`)).toBe(shop.root);
});
