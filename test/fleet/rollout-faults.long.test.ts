/** A rollout over two nodes with failures: real svcm processes, PM2s and a NATS server. The apps count their starts. */
import type { ChildProcess } from "node:child_process";
import { describe, expect, test } from "vitest";
import { nodePorts, type FleetRollout } from "../../src/core/index.ts";
import { natsProxy, type NatsProxy } from "../support/nats-proxy.ts";
import { hasNats } from "../support/nats-server.ts";
import { APPLY, Machines, MS, NODES } from "./rollout-machines.ts";

const JOURNAL = /PUB in\.rollout\.dev\.edda /g;

const states = ({ nodes }: FleetRollout): string[] => nodes.map(({ state }) => state);

/** Two machines in the fleet that run the mode 0. */
async function machines(): Promise<Machines> {
  const both = await Machines.begun();
  for (const node of NODES) await both.agent(node);
  both.declare("0");
  expect(await both.as("adam", ...APPLY)).toMatchObject({ code: 0 });
  expect(both.starts()).toEqual(["0", "0"]);
  return both;
}

/** Resolves when the request for a step has passed the proxy. */
const requested = (proxy: NatsProxy, node: string, operation = "apply"): Promise<void> =>
  new Promise((resolve) => {
    proxy.watch((direction, text) => {
      if (direction === "sent" && text.includes(`svcm.${node}.write.rollout.${operation}.`)) resolve();
      return undefined;
    });
  });

type Point = readonly [when: "before" | "after", journal: number] | readonly [when: "asking", node: string];

/** Each request, and each write of the record of a rollout before the server receives it and before svcm has the reply. */
const POINTS: readonly Point[] = [
  ...[1, 2, 3, 4, 5, 6].flatMap((write) => [["before", write] as const, ["after", write] as const]),
  ["asking", "web-1"],
  ["asking", "web-2"],
];

function killAt(proxy: NatsProxy, [when, which]: Point, child: () => ChildProcess | undefined): void {
  let [writes, isStored] = [0, false];
  proxy.watch((direction, text) => {
    const isKilled = (): "cut" => {
      child()?.kill("SIGKILL");
      return "cut";
    };
    if (direction === "received") return isStored && text.includes('"seq":') ? isKilled() : undefined;
    if (when === "asking") {
      if (!text.includes(`svcm.${which}.write.rollout.apply.`)) return undefined;
      child()?.kill("SIGKILL");
      return undefined;
    }
    writes += text.match(JOURNAL)?.length ?? 0;
    if (writes < which) return undefined;
    if (when === "before") return isKilled();
    isStored = true;
    return undefined;
  });
}

/** The starts that match the record. A node that received a request may or may not have started its app. */
function startsOf(found: FleetRollout, mode: string): unknown[] {
  if (found.outcome !== null) return found.message === mode ? [mode, mode] : ["", ""];
  const fitting: Readonly<Record<string, unknown>> = { applied: mode, waiting: "" };
  return states(found).map((state) => fitting[state] ?? expect.toBeOneOf(["", mode]));
}

describe.skipIf(!hasNats)("a rollout with failures (needs nats-server)", () => {
  test("survives a kill of its svcm at each step: another svcm shows its state, and resumes or reverts it", async () => {
    const both = await machines();
    let running = "0";
    for (const [at, point] of POINTS.entries()) {
      const mode = `${at + 1}`;
      both.declare(mode);
      const proxy = await natsProxy(both.fleet.server.url);
      let child: ChildProcess | undefined;
      killAt(proxy, point, () => child);
      const started = both.begin([...APPLY, "--message", mode], proxy.url);
      ({ child } = started);
      const { code, output } = await started.ended;
      expect([point, code], output).toEqual([point, null]);

      const found = await both.rollout("status");
      expect([point, both.starts()]).toEqual([point, startsOf(found, mode)]);
      if (found.outcome !== null) {
        if (both.starts()[0] === mode) running = mode;
        continue;
      }
      const isBack = at % 3 === 2;
      const ended = await both.rollout(isBack ? "rollback" : "resume", "--yes");
      expect([point, ended.outcome]).toEqual([point, isBack ? "returned" : "applied"]);
      const back = `${mode} ${running}`;
      const wanted = isBack ? both.starts().map((one) => (one === "" ? "" : back)) : [mode, mode];
      expect([point, both.starts()]).toEqual([point, wanted]);
      if (!isBack) running = mode;
    }
  });

  test("waits for a node behind a network that delays its messages, which applies once", async () => {
    const both = await Machines.begun();
    const [toNode, toSvcm] = [await natsProxy(both.fleet.server.url), await natsProxy(both.fleet.server.url)];
    await both.agent("web-1", toNode.url);
    await both.agent("web-2");
    both.declare("1");
    const isRequested = requested(toSvcm, "web-1");
    const { ended } = both.begin([...APPLY, "--deadline", "5m"], toSvcm.url);
    await isRequested;
    toNode.hold();
    expect(states(await both.rollout("status"))).toEqual(["applying", "waiting"]);
    toNode.release();
    expect(await ended).toMatchObject({ code: 0 });
    expect(both.starts()).toEqual(["1", "1"]);
  });

  test("a node that receives its step after the rollout was given up changes nothing", async () => {
    const both = await Machines.begun();
    const [toNode, toSvcm] = [await natsProxy(both.fleet.server.url), await natsProxy(both.fleet.server.url)];
    await both.agent("web-1", toNode.url);
    await both.agent("web-2");
    both.declare("1");
    toSvcm.watch((direction, text) => {
      if (direction === "sent" && text.includes("svcm.web-1.write.rollout.apply.")) toNode.hold();
      return undefined;
    });
    const { ended } = both.begin([...APPLY, "--deadline", "3s"], toSvcm.url);
    expect(await ended).toMatchObject({ code: 3 });
    const stopped = await both.rollout("status");
    expect([stopped.outcome, stopped.holder, stopped.nodes[0]]).toMatchObject([null, null, { code: "NODE_TIMEOUT" }]);
    expect((await both.rollout("unlock", "--yes")).outcome).toBe("unlocked");
    toNode.release();
    // The held connection is delivered in order, so an answer follows the late step.
    await expect
      .poll(async () => (await both.as("adam", "nodes", "show", "web-1", "--json")).stdout, { timeout: MS })
      .toContain('"online"');
    const audit = async () => (await both.as("adam", "audit", "--node", "web-1", "--json")).stdout;
    await expect.poll(audit, { timeout: MS }).toMatch(/ROLLOUT_MOVED_ON|REQUEST_LATE/);
    expect(both.starts()).toEqual(["", ""]);
  });

  test("continues after the server was killed and restarted, and no node applies twice", async () => {
    const both = await machines();
    const proxy = await natsProxy(both.fleet.server.url);
    both.declare("1");
    const isRequested = requested(proxy, "web-1");
    const { ended } = both.begin([...APPLY, "--deadline", "2m"], proxy.url);
    await isRequested;
    await both.fleet.server.kill();
    await both.fleet.server.again();
    const { code, output } = await ended;
    expect([code, both.starts()], output).toEqual([0, ["1", "1"]]);
    expect((await both.rollout("status")).outcome).toBe("applied");
  });

  test("if two rollouts start at the same time, one is refused, and each node applies once", async () => {
    const both = await machines();
    both.declare("1");
    const { url } = both.fleet.server;
    const [one, other] = [both.begin(APPLY, url), both.begin(APPLY, url)];
    const ends = await Promise.all([one.ended, other.ended]);
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([0, 3]));
    expect(ends.find(({ code }) => code === 3)?.output.replaceAll(/\s+/g, " ")).toContain("edda rolls out a change");
    expect(both.starts()).toEqual(["1", "1"]);
  });

  test("a node that is too slow is named, and applies nothing late; the rollout continues when it is available", async () => {
    const both = await Machines.begun();
    const slow = await both.agent("web-1");
    await both.agent("web-2");
    both.declare("1");
    const proxy = await natsProxy(both.fleet.server.url);
    let writes = 0;
    proxy.watch((direction, text) => {
      writes += direction === "sent" ? (text.match(JOURNAL)?.length ?? 0) : 0;
      if (writes === 2) slow.kill("SIGSTOP");
      return undefined;
    });
    const { ended } = both.begin([...APPLY, "--no-revert", "--deadline", "3s"], proxy.url);
    expect(await ended).toMatchObject({ code: 3, output: expect.stringContaining("web-1: applying. NODE_TIMEOUT") });
    expect(both.starts()).toEqual(["", ""]);
    slow.kill("SIGCONT");
    const resumed = await both.rollout("resume", "--yes");
    expect([resumed.outcome, both.starts()]).toEqual(["applied", ["1", "1"]]);
  });

  test("clocks that differ by ten hours have no effect", async () => {
    const both = await Machines.begun();
    for (const [at, node] of NODES.entries()) {
      const root = both.fleet.root(node);
      const ports = nodePorts({ root, env: { PM2_HOME: both.own[node]!.home }, cwd: root });
      const now = (): number => Date.now() + (at === 0 ? -36_000_000 : 36_000_000);
      await both.fleet.start(node, { world: () => ({ ...ports, clock: { ...ports.clock, now } }) });
    }
    both.declare("1");
    const { code, output } = await both.begin(APPLY, both.fleet.server.url).ended;
    expect([code, both.starts()], output).toEqual([0, ["1", "1"]]);
    both.declare("2");
    expect(await both.begin(APPLY, both.fleet.server.url).ended).toMatchObject({ code: 0 });
    expect(both.starts()).toEqual(["2", "2"]);
  });
});
