import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { envWrite, type FleetEventsResponse, type Ports, type SvcmEvent } from "../../src/core/index.ts";
import type { FleetEventQuery } from "../../src/fleet/fleet.ts";
import { openFleet } from "../../src/fleet/open-fleet.ts";
import { openLink } from "../../src/fleet/link.ts";
import { readFleetSettings } from "../../src/fleet/settings.ts";
import { connectFleet } from "../../src/fleet/index.ts";
import { ask, testServer } from "../server/support.ts";
import { natsProxy } from "../support/nats-proxy.ts";
import { hasNats } from "../support/nats-server.ts";
import { testFleet, type TestFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const ALL: FleetEventQuery = { nodes: ["all"], apps: [], limit: 1000 };
const SECOND = 1_000;
const CANARY = "canary-of-the-stream-5f2b";

const padded = (value: number): string => String(value).padStart(2, "0");

/** A line of PM2's log, in the local time of the machine. */
function line(atMs: number, text: string): string {
  const at = new Date(atMs);
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(padded).join("-");
  return `${date}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(":")}: PM2 log: ${text}\n`;
}

/** Adds ends of a process to the log of a node's PM2, one second apart; the exit code is the number of the end. */
function crash(fleet: TestFleet, node: string, codes: readonly number[], endMs = Date.now() - 10 * SECOND): void {
  const { pm2Home } = fleet.ports(node).workspace;
  mkdirSync(pm2Home, { recursive: true });
  const lines = codes.map((code, at) =>
    line(endMs - (codes.length - at) * SECOND, `App [api:0] exited with code [${code}] via signal [SIGINT]`),
  );
  appendFileSync(join(pm2Home, "pm2.log"), lines.join(""));
}

async function untilStored(fleet: TestFleet, count: number, query = ALL): Promise<FleetEventsResponse> {
  const vera = await fleet.as("vera");
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  let observed = 0;
  for await (const _event of vera.follow({ ...query, since: 0 }, ending.signal)) if (++observed === count) break;
  return await vera.events(query);
}

/** The exit codes, oldest first. */
const codesOf = (events: readonly SvcmEvent[]): (number | undefined)[] =>
  events.toReversed().map(({ exitCode }) => exitCode);

async function untilExit(fleet: TestFleet, code: number): Promise<void> {
  const vera = await fleet.as("vera");
  const ending = new AbortController();
  for await (const event of vera.follow({ ...ALL, since: 0 }, ending.signal)) if (event.exitCode === code) return;
}

async function storedTexts(fleet: TestFleet): Promise<string[]> {
  const settings = await readFleetSettings(fleet.ports("vera"), fleet.variables("vera"));
  const link = await openLink(settings, { kind: "user", name: "vera" });
  onTestFinished(() => link.close());
  const texts: string[] = [];
  const wanted = { node: "*", sinceMs: 0, limit: 100_000, isFollowed: false };
  for await (const { data } of link.events.read(wanted, new AbortController().signal))
    texts.push(new TextDecoder().decode(data));
  return texts;
}

describe.skipIf(!hasNats)("the events of all nodes (needs nats-server)", () => {
  test("are in one list with the names of their nodes, also those of a node that has left", async () => {
    const fleet = await testFleet();
    crash(fleet, "web-1", [1, 2]);
    crash(fleet, "web-2", [3], Date.now() - 60 * SECOND);
    const [left] = await Promise.all([fleet.start("web-1"), fleet.start("web-2")]);
    await untilStored(fleet, 3);
    await left?.close();
    const vera = await fleet.as("vera");
    const { events, missing, complete } = await vera.events(ALL);
    expect(events.map(({ node, exitCode }) => [node, exitCode])).toEqual([
      ["web-1", 2],
      ["web-1", 1],
      ["web-2", 3],
    ]);
    expect({ missing, complete }).toEqual({
      missing: [
        { node: "db-1", state: "away" },
        { node: "web-1", state: "away" },
      ],
      complete: true,
    });
    const server = await testServer({ connectFleet: () => connectFleet(fleet.ports("vera"), fleet.variables("vera")) });
    const { json } = await ask(server, "/api/fleet/events?node=role%3Dweb&kind=exit&limit=2");
    expect(json).toEqual({
      events: events.slice(0, 2),
      next: expect.stringMatching(/^\d+\.1$/),
      complete: true,
      missing: [{ node: "web-1", state: "away" }],
    });
    const older = await ask(server, `/api/fleet/events?node=role%3Dweb&cursor=${(json as { next: string }).next}`);
    expect(older.json).toMatchObject({ events: [{ node: "web-2", exitCode: 3 }], next: null });
    expect((await ask(server, "/api/fleet/events?node=moon")).json).toMatchObject({ code: "NODE_UNKNOWN" });
    expect((await ask(server, "/api/fleet/events?kind=bang")).status).toBe(400);
  });

  longTest("arrive once, even if the server is killed, the node restarts and its file is lost", async () => {
    const fleet = await testFleet();
    const codes = async (count: number) => codesOf((await untilStored(fleet, count)).events);
    crash(fleet, "web-1", [1, 2], Date.now() - 60 * SECOND);
    const first = await fleet.start("web-1");
    expect(await codes(2)).toEqual([1, 2]);
    await fleet.server.kill();
    crash(fleet, "web-1", [3, 4], Date.now() - 40 * SECOND);
    await fleet.server.again();
    expect(await codes(4)).toEqual([1, 2, 3, 4]);
    await first.close();
    crash(fleet, "web-1", [5], Date.now() - 30 * SECOND);
    const second = await fleet.start("web-1");
    expect(await codes(5)).toEqual([1, 2, 3, 4, 5]);
    await second.close();
    rmSync(join(fleet.root("web-1"), ".svcm/fleet"), { recursive: true });
    crash(fleet, "web-1", [6], Date.now() - 20 * SECOND);
    await fleet.start("web-1");
    expect(await codes(6)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  longTest("continue with new events after the stream is deleted", async () => {
    const fleet = await testFleet();
    crash(fleet, "web-1", [1], Date.now() - 60 * SECOND);
    const node = await fleet.start("web-1");
    await untilStored(fleet, 1);
    await fleet.server.kill();
    await fleet.server.again({ isEmpty: true });
    await node.logged("connected to NATS again");
    await (await fleet.as("adam")).setUp();
    await node.close();
    crash(fleet, "web-1", [2]);
    await fleet.start("web-1");
    expect(codesOf((await untilStored(fleet, 1)).events)).toEqual([2]);
  });

  longTest("have the time of the server if the clock of a node is wrong", async () => {
    const fleet = await testFleet();
    const apart = 3_600 * SECOND;
    const atMs = Math.floor(Date.now() / SECOND) * SECOND - 20 * SECOND;
    crash(fleet, "web-1", [1], atMs + apart + SECOND);
    crash(fleet, "web-2", [2], atMs + 2 * SECOND);
    const world = (ports: Ports): Ports => ({ ...ports, clock: { ...ports.clock, now: () => Date.now() + apart } });
    await Promise.all([fleet.start("web-1", { world }), fleet.start("web-2")]);
    const { events } = await untilStored(fleet, 2);
    expect(events.map(({ node }) => node)).toEqual(["web-2", "web-1"]);
    expect(Math.abs(Date.parse(events[1]!.at) - atMs)).toBeLessThanOrEqual(2 * SECOND);
    expect(events[1]?.evidence.at(-1)).toMatch(/^The clock of web-1 is 3(?:599|600|601) s ahead of the server's; /);
  });

  longTest("are listed with one request for the state of the stream", async () => {
    const fleet = await testFleet();
    crash(fleet, "web-1", [1]);
    await fleet.start("web-1");
    await untilStored(fleet, 1);
    const proxy = await natsProxy(fleet.server.url);
    const variables = { ...fleet.variables("vera"), SVC_SERVICE_MANAGEMENT_NATS_URL: proxy.url };
    const vera = await openFleet(fleet.ports("vera"), variables);
    onTestFinished(() => vera.close());
    let requestCount = 0;
    proxy.watch((direction, text) => {
      if (direction === "sent") requestCount += text.match(/STREAM\.INFO\.svcm_events/g)?.length ?? 0;
      return undefined;
    });
    const { events } = await vera.events(ALL);
    expect([codesOf(events), requestCount]).toEqual([[1], 1]);
  });

  longTest("of a full stream are the newest of each node, and the answer is marked as incomplete", async () => {
    const fleet = await testFleet({ events: { maxPerNode: 100 } });
    const adam = await fleet.as("adam");
    expect(await adam.setUp()).toBe("unchanged");
    crash(
      fleet,
      "web-1",
      Array.from({ length: 130 }, (_, at) => at + 1),
    );
    crash(fleet, "web-2", [255], Date.now() - 200 * SECOND);
    await fleet.start("web-2");
    await untilStored(fleet, 1);
    const node = await fleet.start("web-1");
    await untilExit(fleet, 130);
    await node.close();
    const { events, complete } = await adam.events(ALL);
    const own = events.filter((event) => event.node === "web-1");
    expect([own.length, own[0]?.exitCode, own.at(-1)?.exitCode, events.at(-1)?.exitCode]).toEqual([100, 130, 31, 255]);
    expect(complete).toBe(false);
  });

  longTest("contain no value of an env file, and a change has its user", async () => {
    const fleet = await testFleet();
    appendFileSync(join(fleet.root("web-1"), ".env.dev"), `DATABASE_PASSWORD=${CANARY}\n`);
    const first = await fleet.start("web-1");
    const edda = await fleet.as("edda");
    const save = { environment: "dev", foreignKeys: "refuse" } as const;
    const write = (value: string) =>
      edda.ask("web-1", envWrite, { ...save, values: { SVC_HTTP_FRAMEWORK: value } }, 60_000);
    await expect(write(CANARY)).rejects.toMatchObject({ kind: "INVALID_PAYLOAD" });
    await write("fastify");
    await first.close();
    const later = (ports: Ports): Ports => ({
      ...ports,
      clock: { ...ports.clock, now: () => Date.now() + 60 * SECOND },
    });
    await fleet.start("web-1", { world: later });
    const { events } = await untilStored(fleet, 2);
    expect(events.map(({ kind, actor, node }) => ({ kind, actor, node }))).toEqual([
      { kind: "write", actor: "edda (nats)", node: "web-1" },
      { kind: "write", actor: "edda (nats)", node: "web-1" },
    ]);
    const texts = await storedTexts(fleet);
    expect(texts.join("\n")).toContain("env.write");
    expect(texts.join("\n")).not.toContain(CANARY);
  });

  longTest("of a node that sends anything else are left out, and the answer is marked as incomplete", async () => {
    const fleet = await testFleet();
    const settings = await readFleetSettings(fleet.ports("web-2"), fleet.variables("web-2"));
    const link = await openLink(settings, { kind: "node", name: "web-2" });
    onTestFinished(() => link.close());
    const bytes = (text: string) => new TextEncoder().encode(text);
    let seq = 0;
    for (const text of ["", "{", "[]", '{"id":"a","aheadMs":0}', `{"id":"b","event":"${"x".repeat(7_000)}"}`])
      seq = await link.events.append("web-2", bytes(text), seq);
    crash(fleet, "web-1", [1]);
    await fleet.start("web-1");
    const { events, complete } = await untilStored(fleet, 1);
    expect([codesOf(events), complete]).toEqual([[1], false]);
    await expect(link.events.append("web-2", bytes("{}"), 0)).rejects.toThrow(
      /Another message of the node is the newest/,
    );
  });
});
