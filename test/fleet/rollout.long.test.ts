/** A rollout over three nodes with real PM2s and a real NATS server. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodePorts, releaseList, rolloutApply, selectNodes, type Ports } from "../../src/core/index.ts";
import type { FleetRollout } from "../../src/core/api/fleet-rollout.ts";
import { recordRequests } from "../../src/core/nodes/rollout.ts";
import type { Fleet } from "../../src/fleet/fleet.ts";
import { beginRollout, planNodes, unlockRollout, type RecordedRollout } from "../../src/fleet/index.ts";
import { replaceWithRetry } from "../../src/fleet/rollout/record.ts";
import { freePort } from "../support/free-port.ts";
import { hasNats } from "../support/nats-server.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm as run, type RunResult } from "../support/svcm.ts";
import { whenTestsOver } from "../support/temporary-folder.ts";
import { rawConnection, rolloutText, testFleet, type TestFleet } from "./support.ts";

const ECOSYSTEM = "pm2/ecosystem.dev.config.cjs";

/** In the order of a rollout over all of them. */
const NODES = ["db-1", "web-1", "web-2"] as const;
const MS = 60_000;
/** The app never becomes healthy, on any machine. */
const UNHEALTHY =
  'require("node:http").createServer((_, answer) => answer.writeHead(500).end()).listen(Number(process.env.SVC_HTTP_PORT), "127.0.0.1");';

interface World {
  readonly fleet: Fleet;
  readonly ports: Ports;
}

describe.skipIf(!hasNats)("a rollout over nodes (needs nats-server)", () => {
  const whenOver = whenTestsOver();
  let fleet: TestFleet;
  const own: Record<string, Pm2> = {};

  beforeAll(async () => {
    fleet = await testFleet({ ecosystem: ECOSYSTEM, whenOver });
    for (const node of NODES) own[node] = pm2();
    await Promise.all(NODES.map((node) => own[node]!.startDaemon()));
    for (const node of NODES) {
      const root = fleet.root(node);
      writeFileSync(join(root, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
      writeFileSync(join(root, "app.cjs"), IDLE);
      writeFileSync(join(root, "bad.cjs"), UNHEALTHY);
      declare(node, "1");
      const env = { PM2_HOME: own[node]!.home };
      await fleet.start(node, { world: () => nodePorts({ root, env, cwd: root }) });
    }
  });
  afterAll(() => Promise.all(Object.values(own).map((one) => one.end())));

  function declare(node: string, mode: string, more: Readonly<Record<string, unknown>> = {}): void {
    const apps = [{ name: "restapi", script: "./app.cjs", cwd: fleet.root(node), env: { MODE: mode }, ...more }];
    mkdirSync(join(fleet.root(node), "pm2"), { recursive: true });
    writeFileSync(join(fleet.root(node), ECOSYSTEM), `module.exports = ${JSON.stringify({ apps })};`);
  }

  const as = (user: string, ...args: string[]): Promise<RunResult> =>
    run(args, { root: fleet.root(user), env: fleet.variables(user) });

  const rolledOut = (...args: string[]) => rolledOutBy("edda", ...args);

  async function rolledOutBy(user: string, ...args: string[]): Promise<{ code: number | null; rollout: FleetRollout }> {
    const { code, stdout, stderr } = await as(user, ...args, "--json");
    const { rollout } = JSON.parse(stdout) as { rollout: FleetRollout };
    expect(rollout, stdout + stderr).toBeTruthy();
    return { code, rollout };
  }

  const states = ({ nodes }: FleetRollout): string[] => nodes.map(({ node, state }) => `${node} ${state}`);

  async function modeOf(node: string): Promise<string | undefined> {
    const [app] = await own[node]!.link().list();
    const variables = app?.pid ? readFileSync(`/proc/${app.pid}/environ`, "utf8").split("\0") : [];
    return variables.find((one) => one.startsWith("MODE="))?.slice(5);
  }

  const modes = (): Promise<(string | undefined)[]> => Promise.all(NODES.map((node) => modeOf(node)));

  test("applies one node after another in the order of their names, and prints each change", async () => {
    const { code, stdout, stderr } = await as("edda", "apply", "--node", "all", "--message", "First", "--yes");
    expect([code, stderr], stdout).toEqual([0, ""]);
    const changes = stdout.split("\n").filter((line) => /^[\w-]+: (?:applying|applied)/.test(line));
    expect(changes).toEqual(
      NODES.flatMap((node) => [
        `${node}: applying`,
        expect.stringMatching(new RegExp(`^${node}: applied \\(release `)),
      ]),
    );
    expect(await modes()).toEqual(["1", "1", "1"]);
    const { code: none, stdout: nothing } = await as("edda", "apply", "--node", "all", "--yes");
    expect([none, nothing]).toEqual([0, expect.stringContaining("Nothing to do.")]);
  });

  test.each([
    ["edda", "2"],
    ["dora", "3"],
  ])("a bad release of %s on the second node stops the rollout and reverts the first one", async (user, mode) => {
    const bad = { script: "./bad.cjs", env: { SVC_HTTP_PORT: await freePort() } };
    for (const node of NODES) declare(node, mode, node === "web-1" ? bad : {});
    const { code, rollout } = await rolledOutBy(user, "apply", "--node", "all", "--yes");
    expect([code, rollout.outcome, states(rollout)]).toEqual([
      1,
      "returned",
      ["db-1 returned", "web-1 failed", "web-2 waiting"],
    ]);
    expect(await modes()).toEqual(["1", "1", "1"]);
    const status = await as("vera", "rollout", "status");
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("web-1: failed. HEALTH_")]);
  });

  test("a node whose folder got other code does not count as returned, and the rollout says so", async () => {
    for (const node of NODES) declare(node, "1");
    expect((await as("edda", "apply", "--node", "all", "--yes")).code).toBe(0);
    for (const node of NODES) {
      writeFileSync(join(fleet.root(node), "app.cjs"), node === "web-1" ? "process.exit(1);" : `${IDLE}// newer`);
    }
    // On a loaded machine, a program needs longer than minHealthyTime until it ends.
    const { code, rollout } = await rolledOut("apply", "--node", "all", "--min-healthy", "4s", "--yes");
    expect([code, rollout.outcome, rollout.holder, states(rollout)]).toEqual([
      3,
      null,
      null,
      ["db-1 returning", "web-1 returning", "web-2 waiting"],
    ]);
    // If PM2 has given up the bad program by then, the rollback of its node tries to start it.
    const ofBadNode = expect.stringMatching(/^(?:CODE_STAYS|APPLY_REVERTED)$/) as string;
    expect(rollout.nodes.map(({ code: why }) => why)).toEqual(["CODE_STAYS", ofBadNode, undefined]);
    const status = await as("vera", "rollout", "status");
    expect(status.stdout).toContain("db-1: returning. CODE_STAYS: Each app has the definition that it had before");
    for (const node of NODES) writeFileSync(join(fleet.root(node), "app.cjs"), IDLE);
    expect((await as("edda", "rollout", "unlock", "--yes")).code).toBe(0);
    expect((await as("edda", "apply", "--node", "all", "--yes")).code).toBe(0);
  });

  /** Takes the lock like a svcm that dies before its first action. */
  async function left(user: string, message: string): Promise<{ world: World; held: RecordedRollout }> {
    const world = { fleet: await fleet.as(user), ports: fleet.ports(user) };
    const apply = { environment: "dev", message };
    const nodes = selectNodes(await world.fleet.nodes(), ["all"]);
    const plans = await planNodes(world, { nodes, apply, deadlineMs: MS, version: "1.2.3" });
    return { world, held: await beginRollout(world, plans, { apply, maxParallel: 2 }) };
  }

  test("records that do not count hide no rollout, and an unreadable one is ended by unlock, which is recorded", async () => {
    for (const node of NODES) declare(node, "5");
    const raw = await rawConnection(fleet, "edda");
    const write = (text: string) => raw.request("in.rollout.dev.edda", text);
    await write("");
    await write("{}");
    await write(rolloutText({ owner: "adam" }));
    await write(rolloutText({ owner: "edda", environment: "staging" }));
    const status = await as("vera", "rollout", "status");
    expect([status.code, status.stderr]).toEqual([
      0,
      "A newer record of dev by edda does not count: its writer had not read the record before it.\n",
    ]);
    const { held } = await left("adam", "Hold");
    await write(rolloutText({ owner: "edda", outcome: "unlocked" }));
    expect((await as("edda", "rollout", "unlock", "--yes")).stderr).toContain("The rollout is of adam.");
    expect((await as("stig", "rollout", "unlock", "--yes")).code).toBe(3);
    expect((await as("vera", "rollout", "unlock", "--yes")).code).toBe(3);
    const adam = await fleet.as("adam");
    const newer = JSON.stringify({ ...held.rollout, owner: "adam", format: 2 });
    expect(await adam.rollouts.replace("dev", newer, held.revision)).toBeGreaterThan(held.revision);
    const unreadable = await as("adam", "apply", "--node", "all", "--yes");
    expect([unreadable.code, unreadable.stderr]).toEqual([
      3,
      expect.stringContaining("which adam has written with another version"),
    ]);
    const unlocked = await as("adam", "rollout", "unlock", "--yes");
    expect([unlocked.code, unlocked.stderr], unlocked.stdout).toEqual([0, ""]);
    const audit = await as("adam", "audit", "--json");
    expect(audit.stdout).toContain('"action": "rollout.unlock"');
    expect(audit.stdout).toContain(`${held.rollout.id} of adam, as adam`);
    const again = await left("edda", "After");
    await unlockRollout(again.world, { environment: "dev", ignored: [], ...again.held });
  });

  test("who resumes a rollout sees whose choices it carries out, and nodes apply the plans of today", async () => {
    for (const node of NODES) declare(node, "6");
    const { held } = await left("edda", "Prices");
    for (const node of NODES) declare(node, "7");
    const { code, stdout, stderr } = await as("adam", "rollout", "resume", "--yes");
    expect([code, stderr], stdout).toEqual([0, ""]);
    expect(stdout).toContain("Choices of edda: maxParallel 2.");
    expect(stdout).toMatch(/MODE/);
    expect(await modes()).toEqual(["7", "7", "7"]);
    const status = await as("vera", "rollout", "status");
    expect(status.stdout).toContain(`Rollout ${held.rollout.id} of dev by adam: applied`);
    expect(status.stdout).toContain("Taken over from edda.");
    expect((await as("adam", "audit", "--json")).stdout).toContain(`${held.rollout.id} of edda, as adam`);
  });

  test("a second rollout is refused with owner, message and age, and another svcm resumes the first one", async () => {
    for (const node of NODES) declare(node, "3");
    const { held } = await left("adam", "Prices");
    const second = await as("edda", "apply", "--node", "all", "--yes");
    expect([second.code, second.stdout]).toEqual([3, ""]);
    expect(second.stderr).toMatch(
      /adam rolls out "Prices" to db-1, web-1, web-2 \(begun \d+m? ?\d*s ago\)\. Accepted: one rollout/,
    );
    const { rollout } = await rolledOut("rollout", "resume", "--yes");
    expect([rollout.id, rollout.owner, rollout.outcome]).toEqual([held.rollout.id, "edda", "applied"]);
    expect(await modes()).toEqual(["3", "3", "3"]);
  });

  test("a repeated step receives the recorded answer, and a step of a rollout that has moved on changes nothing", async () => {
    for (const node of NODES) declare(node, "4");
    const { world, held } = await left("edda", "Twice");
    const link = world.fleet;
    const now = await replaceWithRetry(
      { link, ports: world.ports, patienceMs: 0 },
      recordRequests(held.rollout, ["db-1", "web-1"]),
      held.revision,
    );
    const act = (node: string) => {
      const { id, holder, nodes } = now.rollout;
      const { step = 0, plan } = nodes.find((one) => one.node === node)!;
      const fence = { environment: "dev", rollout: id, step, holder: holder!, revision: now.revision };
      return link.requestStep(node, { operation: rolloutApply, input: { environment: "dev", plan: plan! }, fence }, MS);
    };
    const [first, joined] = await Promise.all([act("db-1"), act("db-1")]);
    expect([joined, await act("db-1")]).toEqual([first, first]);
    const { releases } = await link.ask("db-1", releaseList, {}, MS);
    expect(releases.filter(({ rollout }) => rollout?.id === now.rollout.id)).toMatchObject([{ id: first.release }]);
    const { code, rollout } = await rolledOut("rollout", "rollback", "--yes");
    expect([code, states(rollout)]).toEqual([1, ["db-1 returned", "web-1 returned", "web-2 waiting"]]);
    await expect(act("web-1")).rejects.toMatchObject({ kind: "APPLY_LOCKED", body: { code: "ROLLOUT_MOVED_ON" } });
    expect(await modes()).toEqual(["3", "3", "3"]);
  });
});
