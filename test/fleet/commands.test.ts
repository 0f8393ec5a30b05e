import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { hasNats } from "../support/nats-server.ts";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { testFleet } from "./support.ts";

describe.skipIf(!hasNats)("the commands of the fleet (needs nats-server)", () => {
  test("svcm agent adds the machine to the fleet, and leaves it on SIGTERM", async () => {
    const fleet = await testFleet();
    const home = fleet.root("web-1");
    const env = plainEnvironment({ HOME: home, PM2_HOME: join(home, ".pm2"), ...fleet.variables("web-1") });
    const agent = spawn(process.execPath, [RUN, "agent"], { cwd: home, env });
    onTestFinished(() => void agent.kill("SIGKILL"));
    const [line] = (await once(agent.stdout, "data")) as [Buffer];
    expect(line.toString()).toBe(`Node web-1 is in the fleet at ${fleet.server.url}\n`);
    const asVera = { root: fleet.root("vera"), env: fleet.variables("vera") };
    const output = await svcm(["nodes", "show", "web-1", "--json"], asVera);
    expect([output.code, JSON.parse(output.stdout)]).toMatchObject([
      0,
      { name: "web-1", state: "online", labels: { role: "web" }, environments: ["dev", "staging"] },
    ]);
    const list = await svcm(["nodes", "list"], asVera);
    expect(list.code).toBe(1);
    expect(list.stdout).toMatch(
      /^1 of 3 nodes online\.\nNODE +STATE +LABELS +PROCESSES.*\ndb-1 +away .*\nweb-1 +online +role=web +PM2_NOT_RUNNING/,
    );
    const ended = once(agent, "exit");
    agent.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(JSON.parse((await svcm(["nodes", "show", "web-1", "--json"], asVera)).stdout).state).toBe("away");
  });

  test("an undeclared node or missing credentials are refused with the next step", async () => {
    const fleet = await testFleet();
    const asVera = { root: fleet.root("vera"), env: fleet.variables("vera") };
    const unknown = await svcm(["nodes", "show", "web-9"], asVera);
    expect([unknown.code, unknown.stderr.includes("Accepted: db-1, web-1, web-2.")]).toEqual([2, true]);
    const { SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: _without, ...env } = fleet.variables("vera");
    const stranger = await svcm(["nodes", "list"], { root: fleet.root("vera"), env });
    expect([stranger.code, stranger.stderr.includes("SVC_SERVICE_MANAGEMENT_NATS_USER")]).toEqual([1, true]);
  });
});

test("svcm nats key writes a private seed once, and prints the public key", async () => {
  const { root } = makeWorkspace();
  const file = join(root, "ann.nk");
  const { code, stdout } = await svcm(["nats", "key", file], { root });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^U[A-Z2-7]{55}\n$/)]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await svcm(["nats", "key", file], { root })).code).toBe(2);
});

test("svcm nats config without nats in svcm.yaml says what to declare", async () => {
  const { root } = makeWorkspace();
  const { code, stderr } = await svcm(["nats", "config"], { root });
  expect([code, stderr.includes("nats with users and nodes")]).toEqual([1, true]);
});
