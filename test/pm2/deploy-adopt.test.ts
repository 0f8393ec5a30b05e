/** The first deploy in folders that Capistrano or `pm2 deploy` made. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findForeignLayout } from "../../src/core/deploy/refusals.ts";
import {
  deployPlan,
  deployRun,
  execute,
  nodePorts,
  releaseList,
  rolloutApply,
  rolloutRollback,
  SvcmError,
} from "../../src/core/index.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";
import { longTest } from "../support/runs.ts";

const shop = shopUnderPm2();
const folder = realpathSync(shop.own.folder);
const input = { environment: "production" };

function portsIn(root: string) {
  const ports = nodePorts({ root, env: shop.env, cwd: root });
  onTestFinished(async () => {
    await ports.logs.close();
    await ports.processes.close();
  });
  return ports;
}

/** Commits the settings of the deploy. */
function declare(root: string): void {
  const project = readFileSync(join(shop.checkout, "svcm.yaml"), "utf8");
  const origin = join(folder, "origin.git");
  const line = `deploy: { root: ${root}, source: ${origin}, shared: [uploads, .env.production], left: [Procfile], keep: 2 }`;
  shop.publish({ "svcm.yaml": project.replace(/^deploy: .*$/m, line) });
}

function checkOut(place: string): void {
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["--extract", `--directory=${place}`], {
    input: execFileSync("git", ["archive", "HEAD"], { cwd: shop.checkout }),
  });
  execFileSync("node", ["build.cjs"], { cwd: place });
}

longTest("in Capistrano's layout, current and shared are used as they are, and a rollback leads back", async () => {
  const root = join(folder, "capistrano");
  const old = join(root, "releases/20260101080000");
  declare(root);
  // As most of these repositories do: by the link.
  const ecosystem = readFileSync(join(shop.checkout, "ecosystem.config.cjs"), "utf8");
  const current = JSON.stringify(join(root, "current"));
  shop.publish({
    "ecosystem.config.cjs": ecosystem.replace('"./app.cjs"', `"app.cjs","cwd":${current}`),
  });
  onTestFinished(() => void shop.publish({ "ecosystem.config.cjs": ecosystem }));
  mkdirSync(join(root, "shared/uploads"), { recursive: true });
  writeFileSync(join(root, "shared/.env.production"), `PORT=${shop.port()}\n`);
  writeFileSync(join(root, "shared/uploads/a.png"), "picture");
  checkOut(old);
  for (const name of ["uploads", ".env.production"]) symlinkSync(join(root, "shared", name), join(old, name));
  const deployed = shop.git("rev-parse", "HEAD");
  writeFileSync(join(old, "REVISION"), `${deployed}\n`);
  symlinkSync(old, join(root, "current"));
  const ports = portsIn(join(root, "current"));
  await execute(rolloutApply, ports, input, caller);
  writeFileSync(join(old, "orders.sqlite"), "orders");

  shop.publish({ VERSION: "2" });
  expect(await execute(releaseList, ports, {}, caller)).toMatchObject({ foreign: { folder: old, commit: deployed } });
  const { notes, from, commits } = await execute(deployPlan, ports, { ...input, adopt: true }, caller);
  expect([from, commits]).toEqual([
    deployed,
    { added: [{ commit: shop.git("rev-parse", "HEAD"), subject: "version 2" }], removed: [] },
  ]);
  expect(notes).toEqual([
    `${root} has the layout of Capistrano. It is used as it is.`,
    `web in ${old} will run in the release. Nothing is moved.`,
    "shared: uploads, which stays where it is",
    "shared: .env.production, which stays where it is",
    "undecided: orders.sqlite; name it in deploy.shared or deploy.left",
  ]);
  const refused = await execute(deployRun, ports, input, caller).catch((error: unknown) => error);
  expect(refused).toMatchObject({ body: { code: "DEPLOY_UNDECIDED" } });
  expect(refused).toBeInstanceOf(SvcmError);
  rmSync(join(old, "orders.sqlite"));
  const { deploy } = await execute(deployRun, ports, input, caller);
  const own = join(root, "releases", deploy.id);
  expect(await ports.processes.list()).toMatchObject([{ name: "web", cwd: own }]);
  expect(readlinkSync(join(root, "current"))).toBe(`releases/${deploy.id}`);
  expect(readFileSync(join(own, "uploads/a.png"), "utf8")).toBe("picture");
  expect(readFileSync(join(own, "REVISION"), "utf8")).toBe(`${deploy.commit}\n`);
  expect(await execute(releaseList, ports, {}, caller)).not.toHaveProperty("foreign");
  // From the release that is current now, as from any other place in this layout.
  const after = portsIn(join(root, "current"));
  expect(await shop.answer()).toBe("2");
  writeFileSync(join(old, "dist/version.txt"), "crash");
  const failed = await execute(rolloutRollback, after, {}, caller).catch((error: unknown) => error);
  expect(failed).toMatchObject({ kind: "APPLY_REVERTED" });
  expect([readlinkSync(join(root, "current")), await shop.answer()]).toEqual([`releases/${deploy.id}`, "2"]);
  writeFileSync(join(old, "dist/version.txt"), "1");
  const release = (await execute(releaseList, after, {}, caller)).releases.find(({ outcome }) => outcome === "applied");
  await execute(rolloutRollback, after, { release: release!.id }, caller);
  expect([readlinkSync(join(root, "current")), await shop.answer()]).toEqual([old, "1"]);
  expect(await after.processes.list()).toMatchObject([{ name: "web", cwd: join(root, "current") }]);
  expect(existsSync(own)).toBe(true);
});

longTest("in the layout of pm2 deploy, source stays, and current moves to the release", async () => {
  const root = join(folder, "pm2-deploy");
  declare(root);
  mkdirSync(join(root, "shared/logs"), { recursive: true });
  execFileSync("git", ["clone", "--quiet", join(folder, "origin.git"), join(root, "source")]);
  symlinkSync(join(root, "source"), join(root, "current"));
  mkdirSync(join(root, "source/uploads"));
  writeFileSync(join(root, "source/.env.production"), `PORT=${shop.port()}\n`);
  execFileSync("node", ["build.cjs"], { cwd: join(root, "source") });
  const ports = portsIn(join(root, "source"));
  // PM2 still has the app of the previous test.
  await execute(rolloutApply, ports, { ...input, switchCheckout: true }, caller);
  const { notes } = await execute(deployPlan, ports, { ...input, adopt: true }, caller);
  expect(notes[0]).toBe(`${root} has the layout of pm2 deploy. It is used as it is.`);
  const { deploy } = await execute(deployRun, ports, input, caller);
  expect(await ports.processes.list()).toMatchObject([{ name: "web", cwd: join(root, "releases", deploy.id) }]);
  expect(await shop.answer()).toBe("2");
  await execute(rolloutRollback, ports, {}, caller);
  expect(readlinkSync(join(root, "current"))).toBe(join(root, "source"));
  expect(await ports.processes.list()).toMatchObject([{ name: "web", cwd: join(root, "source") }]);
});

test("a release of another tool without a source is refused, and says what is accepted", async () => {
  const place = join(folder, "no-source");
  checkOut(place);
  writeFileSync(
    join(place, "svcm.yaml"),
    readFileSync(join(place, "svcm.yaml"), "utf8").replace(/source: [^,]*, /, ""),
  );
  const refused = await execute(deployPlan, portsIn(place), input, caller).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    kind: "DEPLOY_FAILED",
    body: { code: "DEPLOY_SOURCE_UNKNOWN", details: "The repository root is not in a work tree of Git." },
  });
});

test.each([
  ["/srv/app/releases/20260101080000", ["/srv/app/current", "/srv/app/shared"], "Capistrano"],
  ["/srv/app/source", ["/srv/app/current", "/srv/app/shared"], "pm2 deploy"],
  ["/srv/app/source", ["/srv/app/current"], undefined],
  ["/srv/app/releases/20260101080000-4a91c77", ["/srv/app/current", "/srv/app/shared"], undefined],
  ["/srv/source", [], undefined],
] as const)("%s beside %j", async (checkout, present: readonly string[], tool) => {
  const found = await findForeignLayout(checkout, (path) => Promise.resolve(present.includes(path)));
  expect(found?.tool).toBe(tool);
});
