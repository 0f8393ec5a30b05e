/** Deploys over three nodes: real Git, real PM2s and a real NATS server. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { nodePorts, type FleetRollout } from "../../src/core/index.ts";
import { beginRollout, planNodes } from "../../src/fleet/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { hasNats } from "../support/nats-server.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";
import { svcm as run, type RunResult } from "../support/svcm.ts";
import { whenTestsOver } from "../support/temporary-folder.ts";
import { testFleet, type TestFleet } from "./support.ts";

/** In the order of a deploy to all of them. */
const NODES = ["db-1", "web-1", "web-2"] as const;
type Node = (typeof NODES)[number];
/** On a node, the commit does not run whose version is in `bad` beside its PM2. */
const APP = `
const { existsSync, readFileSync } = require("node:fs");
const bad = __dirname + "/../../../../../bad";
if (existsSync(bad) && readFileSync(bad, "utf8") === readFileSync(__dirname + "/VERSION", "utf8")) throw new Error("no database");
${IDLE}
process.send("ready");`;
/** One with `unbuildable` in the home folder cannot build it; one with `meet` waits until as many builds run as there are nodes. */
const BUILD = `
const { existsSync, readFileSync, readdirSync, writeFileSync } = require("node:fs");
const home = process.env.HOME;
if (existsSync(home + "/unbuildable")) { console.error("no compiler"); process.exit(4); }
if (existsSync(home + "/meet")) {
  const place = readFileSync(home + "/meet", "utf8");
  writeFileSync(place + "/" + process.pid, "");
  while (readdirSync(place).length < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}`;
const ECOSYSTEM = `module.exports = { apps: [{ name: "web", script: "./app.cjs", wait_ready: true, listen_timeout: 30000, cwd: require("node:path").dirname(__dirname) }] };`;

describe.skipIf(!hasNats)("a deploy over nodes (needs nats-server)", () => {
  const whenOver = whenTestsOver();
  let fleet: TestFleet;
  const own = {} as Record<Node, Pm2>;
  const git = (node: string, ...args: string[]): string =>
    execFileSync("git", args, {
      cwd: fleet.root(node),
      env: plainEnvironment(GIT_ENVIRONMENT),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();

  beforeAll(async () => {
    fleet = await testFleet({ ecosystem: "pm2/ecosystem.dev.config.cjs", whenOver });
    const origin = join(fleet.root("edda"), "origin.git");
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", origin]);
    const first = fleet.root("db-1");
    cpSync(join(import.meta.dirname, "../../pm2"), join(first, "pm2"), { recursive: true });
    const files = {
      ".gitignore": ".env*\nkey.nk\n.svcm\nunbuildable\nmeet\n",
      "app.cjs": APP,
      "build.cjs": BUILD,
      "deployments.yaml": "rollout: { minHealthyTime: 100ms }",
      "package.json": '{"name":"shop","scripts":{"build":"node build.cjs"}}',
      "pm2/ecosystem.dev.config.cjs": ECOSYSTEM,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(first, name), text);
    git("db-1", "init", "--quiet", "--initial-branch=main");
    git("db-1", "remote", "add", "origin", origin);
    publish("1");
    for (const node of NODES) {
      const root = fleet.root(node);
      if (node !== "db-1") {
        git(node, "init", "--quiet", "--initial-branch=main");
        git(node, "remote", "add", "origin", origin);
        git(node, "fetch", "--quiet");
        git(node, "checkout", "--quiet", "--force", "main");
      }
      own[node] = pm2();
      await own[node].startDaemon();
      const env = { PATH: process.env["PATH"] ?? "", HOME: root, PM2_HOME: own[node].home, ...GIT_ENVIRONMENT };
      await fleet.start(node, { world: () => nodePorts({ root, env, cwd: root }) });
    }
  });
  afterAll(() => Promise.all(Object.values(own).map((one) => one.end())));

  function publish(version: string): string {
    writeFileSync(join(fleet.root("db-1"), "VERSION"), version);
    git("db-1", "add", "--all");
    git("db-1", "commit", "--quiet", "--message", `version ${version}`);
    git("db-1", "push", "--quiet", "--set-upstream", "origin", "main");
    return git("db-1", "rev-parse", "HEAD");
  }

  const as = (user: string, ...args: string[]): Promise<RunResult> =>
    run(args, { root: fleet.root(user), env: { ...fleet.variables(user), COLUMNS: "300" } });

  /** The process, the version of its folder, and that of `current`. */
  async function stateOf(node: Node): Promise<readonly unknown[]> {
    const [app] = await own[node].link().list();
    if (!app?.pid) return [];
    const root = join(own[node].home, "svcm/shop/deploy");
    const version = (folder: string): string => readFileSync(join(folder, "VERSION"), "utf8");
    return [app.pid, version(readlinkSync(`/proc/${app.pid}/cwd`)), version(join(root, "current"))];
  }

  const states = () => Promise.all(NODES.map(stateOf));
  const versions = async () => (await states()).map(([, running, current]) => [running, current]);
  const ofNodes = ({ nodes }: FleetRollout): string[] => nodes.map(({ node, state }) => `${node} ${state}`);

  longTest("all nodes prepare the commit at once, then one after another runs it", async () => {
    const place = join(fleet.root("edda"), "meet");
    mkdirSync(place);
    for (const node of NODES) writeFileSync(join(fleet.root(node), "meet"), place);
    const dry = await as("edda", "deploy", "--node", "all", "--dry-run");
    expect([dry.code, await states()], dry.stderr).toEqual([0, [[], [], []]]);
    for (const node of NODES) rmSync(join(fleet.root(node), "meet"));
    expect(dry.stderr.match(/^[\w-]+: prepared [0-9a-f]{7}$/gm)).toHaveLength(3);
    const { code, stdout, stderr } = await as("edda", "deploy", "--node", "all", "--yes");
    expect(code, stdout + stderr).toBe(0);
    expect(stdout.match(/^[\w-]+: (?:applying|applied)/gm)).toEqual(
      NODES.flatMap((node) => [`${node}: applying`, `${node}: applied`]),
    );
    expect(await versions()).toEqual(NODES.map(() => ["1", "1"]));
    const again = await as("edda", "deploy", "--node", "all", "--yes");
    expect([again.code, again.stdout], again.stderr).toEqual([0, expect.stringContaining("Nothing to do.")]);
  });

  longTest("if one of them cannot prepare, nothing has changed on any", async () => {
    const before = await states();
    publish("2");
    const marker = join(fleet.root("web-2"), "unbuildable");
    writeFileSync(marker, "");
    const { code, stdout, stderr } = await as("edda", "deploy", "--node", "all", "--yes");
    rmSync(marker);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /No node was changed, because 1 of 3 cannot prepare\. web-2 \(failed\): .*The build \(npm run build\) ended with exit code 4\. .*no compiler/,
    );
    expect(await states()).toEqual(before);
    expect((await as("edda", "rollout", "status")).stdout).toContain(": applied");
  });

  longTest("if one of them fails its gate, those before it run the former commit again", async () => {
    const before = await states();
    writeFileSync(join(own["web-1"].home, "bad"), "2");
    const { code, stdout, stderr } = await as("edda", "deploy", "--node", "all", "--yes", "--json");
    rmSync(join(own["web-1"].home, "bad"));
    const { rollout } = JSON.parse(stdout) as { rollout: FleetRollout };
    expect([code, rollout.outcome, ofNodes(rollout)], stderr).toEqual([
      1,
      "returned",
      ["db-1 returned", "web-1 failed", "web-2 waiting"],
    ]);
    expect(await versions()).toEqual(NODES.map(() => ["1", "1"]));
    expect((await states())[2]).toEqual(before[2]);
  });

  longTest("a deploy that another svcm left is resumed with its commit, and returned as a whole", async () => {
    const wanted = git("db-1", "rev-parse", "HEAD");
    const world = { fleet: await fleet.as("edda"), ports: fleet.ports("edda") };
    const apply = { environment: "dev" };
    const nodes = (await world.fleet.nodes()).filter(({ isDeclared }) => isDeclared);
    const request = { nodes, apply, deploys: true, deadlineMs: 60_000, version: "1.2.3" };
    await beginRollout(world, await planNodes(world, request), { apply, maxParallel: 2 });
    publish("3");
    const { code, stdout, stderr } = await as("adam", "rollout", "resume", "--yes");
    expect([code, stderr], stdout).toEqual([0, expect.stringMatching(/^(?:[\w-]+: prepar[^\n]+\n)*$/)]);
    expect(stdout).toContain(`revision ${wanted}`);
    expect(await versions()).toEqual(NODES.map(() => ["2", "2"]));
    const back = await as("adam", "rollback", "--node", "all", "--yes");
    expect(back.code, back.stdout + back.stderr).toBe(0);
    expect(await versions()).toEqual(NODES.map(() => ["1", "1"]));
    expect(existsSync(join(fleet.root("adam"), ".svcm"))).toBe(true);
  });

  longTest("a release file has to be the same on each node, and none of them changes before", async () => {
    const before = await states();
    const copy = (node: Node, version: string): void => {
      const release = join(fleet.root(node), ".svcm/release");
      const files = execFileSync("git", ["archive", "HEAD"], { cwd: fleet.root("db-1") });
      mkdirSync(release, { recursive: true });
      execFileSync("tar", ["--extract", `--directory=${release}`], { input: files });
      writeFileSync(join(release, "VERSION"), version);
    };
    const deploy = (from = ".svcm/release") => as("edda", "deploy", "--from", from, "--node", "all", "--yes");
    copy("db-1", "4");
    copy("web-1", "4");
    const missing = await deploy();
    expect([missing.code, missing.stdout, await states()], missing.stderr).toEqual([1, "", before]);
    const text = missing.stderr.replaceAll(/\s+/g, " ");
    expect(text).toContain(
      `1 of 3 cannot prepare. web-2 (failed): ${join(fleet.root("web-2"), ".svcm/release")} is not`,
    );
    expect(text).toContain("svcm sends no file to a node. Copy the release to the named path of each node");
    copy("web-2", "5");
    const different = await deploy();
    expect([different.code, different.stdout, await states()], different.stderr).toEqual([1, "", before]);
    expect(different.stderr).toMatch(/DEPLOY_COMMITS_DIFFER/);
    copy("web-2", "4");
    const good = await deploy();
    expect(good.code, good.stdout + good.stderr).toBe(0);
    expect(await versions()).toEqual(NODES.map(() => ["4", "4"]));
    // A tarball, as scp would copy it.
    copy("db-1", "6");
    const file = (node: Node): string => join(fleet.root(node), ".svcm/release.tgz");
    const folder = join(fleet.root("db-1"), ".svcm/release");
    execFileSync("tar", ["--create", "--gzip", `--file=${file("db-1")}`, `--directory=${folder}`, "."]);
    for (const node of ["web-1", "web-2"] as const) cpSync(file("db-1"), file(node));
    const packed = await deploy(".svcm/release.tgz");
    expect(packed.code, packed.stdout + packed.stderr).toBe(0);
    expect(await versions()).toEqual(NODES.map(() => ["6", "6"]));
  });
});
