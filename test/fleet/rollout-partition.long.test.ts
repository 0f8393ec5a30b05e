/** A rollout in a network that drops every packet of a machine for some time, with real svcm processes, PM2s and NATS. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FleetRollout } from "../../src/core/index.ts";
import { natsProxy, type NatsProxy } from "../support/nats-proxy.ts";
import { hasNats } from "../support/nats-server.ts";
import { canSeparate, network, type Member } from "../support/network.ts";
import { APPLY, Machines, MS, NODES } from "./rollout-machines.ts";

const states = ({ nodes }: FleetRollout): string[] => nodes.map(({ state }) => state);

/** Mode 0 runs on both machines; `web-1` and edda are members of the network. */
async function separated() {
  const { host, member } = network();
  const [node, client] = [member(), member()];
  // The server closes a silent connection after two seconds.
  const both = await Machines.begun({ host, more: 'ping_interval: "1s"\nping_max: 1' });
  await both.agent("web-1", undefined, node);
  await both.agent("web-2");
  both.declare("0");
  expect(await both.as("adam", ...APPLY)).toMatchObject({ code: 0 });
  expect(both.starts()).toEqual(["0", "0"]);
  const begin = (...more: string[]) => both.begin([...APPLY, ...more], both.fleet.server.url, client);
  return { both, node, client, begin };
}

/** Cuts a member off immediately before the request for the step of `web-1` reaches the server. */
async function cuttingProxy(both: Machines, node: Member): Promise<NatsProxy> {
  const proxy = await natsProxy(both.fleet.server.url);
  let isCut = false;
  proxy.watch((direction, text) => {
    if (isCut || direction !== "sent" || !text.includes("svcm.web-1.write.rollout.apply.")) return undefined;
    isCut = true;
    node.cut();
    return undefined;
  });
  return proxy;
}

/** Resolves when the fleet reports `web-1` in this state. */
async function seen(both: Machines, state: "online" | "away"): Promise<void> {
  const output = async () => (await both.as("adam", "nodes", "show", "web-1", "--json")).stdout;
  await expect.poll(output, { timeout: MS }).toContain(`"${state}"`);
}

async function started(both: Machines, mode: string): Promise<void> {
  await expect.poll(() => both.starts()[0], { timeout: MS }).toBe(mode);
}

describe.skipIf(!hasNats || !canSeparate)("a rollout in a partitioned network (needs nats-server, root and ip)", () => {
  test("a node that is cut off during its step continues when it is reachable, and both apply once", async () => {
    const { both, node, begin } = await separated();
    const held = join(both.fleet.root("web-1"), "go");
    writeFileSync(join(both.fleet.root("web-2"), "go"), "");
    both.declare("1", "go");
    const { ended } = begin("--deadline", "3m");
    await started(both, "1");
    node.cut();
    writeFileSync(held, "");
    expect(states(await both.rollout("status"))).toEqual(["applying", "waiting"]);
    await seen(both, "away");
    node.heal();
    const { code, output } = await ended;
    expect([code, both.starts()], output).toEqual([0, ["1", "1"]]);
    expect((await both.rollout("status")).outcome).toBe("applied");
  });

  test("a node that stays unreachable is named, the rollout stops, and a rollback reverts it when it is reachable", async () => {
    const { both, node, begin } = await separated();
    both.declare("1", "go");
    const { ended } = begin("--deadline", "5s");
    await started(both, "1");
    node.cut();
    for (const name of NODES) writeFileSync(join(both.fleet.root(name), "go"), "");
    const { code, output } = await ended;
    expect([code, output.replaceAll(/\s+/g, " ")]).toEqual([3, expect.stringMatching(/web-1: returning\. NODE_/)]);
    const stopped = await both.rollout("status");
    expect([states(stopped), stopped.holder, stopped.outcome]).toEqual([["returning", "waiting"], null, null]);
    expect(both.starts()).toEqual(["1", ""]);
    node.heal();
    await seen(both, "online");
    expect((await both.rollout("rollback", "--yes")).outcome).toBe("returned");
    expect(both.starts()).toEqual(["1 0", ""]);
  });

  test("a node that receives its step after it was given up applies nothing, and a resume applies once", async () => {
    const { both, node } = await separated();
    both.declare("1");
    const proxy = await cuttingProxy(both, node);
    const { code, output } = await both.begin([...APPLY, "--no-revert", "--deadline", "3s"], proxy.url).ended;
    expect([code, output.replaceAll(/\s+/g, " ")]).toEqual([3, expect.stringMatching(/web-1: applying\. NODE_/)]);
    expect(states(await both.rollout("status"))).toEqual(["applying", "waiting"]);
    node.heal();
    await seen(both, "online");
    expect(both.starts()).toEqual(["", ""]);
    expect((await both.rollout("resume", "--yes")).outcome).toBe("applied");
    expect(both.starts()).toEqual(["1", "1"]);
  });

  test("a svcm that is cut off changes nothing after another one has taken over its rollout", async () => {
    const { both, client, begin } = await separated();
    both.declare("1", "go");
    const { ended } = begin("--deadline", "2m");
    await started(both, "1");
    client.cut();
    for (const name of NODES) writeFileSync(join(both.fleet.root(name), "go"), "");
    expect((await both.rollout("resume", "--yes")).outcome).toBe("applied");
    expect(both.starts()).toEqual(["1", "1"]);
    client.heal();
    const { code, output } = await ended;
    expect([code, output.replaceAll(/\s+/g, " ")]).toEqual([3, expect.stringContaining("has taken over the rollout")]);
    expect(both.starts()).toEqual(["1", "1"]);
    expect((await both.rollout("status")).outcome).toBe("applied");
  });
});
