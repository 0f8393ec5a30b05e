/** The events and audit records of all nodes, in a stream of a real NATS server. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FleetEventsResponse } from "../../src/core/index.ts";
import type { EventsAsked } from "../../src/fleet/events/list.ts";
import { ask, testServer } from "../server/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { testFleet, type TestFleet } from "./support.ts";

const HOW = { deadlineMs: 5_000, version: "1.2.3" };
const ALL: EventsAsked = { nodes: ["all"], apps: [], limit: 1000 };
const SECOND = 1_000;

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

/** Resolves when the stream has so many events. */
async function untilStored(fleet: TestFleet, count: number, asked = ALL): Promise<FleetEventsResponse> {
  const vera = await fleet.as("vera");
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  let seen = 0;
  for await (const _event of vera.follow({ ...asked, since: 0 }, ending.signal)) if (++seen === count) break;
  return await vera.events(asked, HOW);
}

describe.skipIf(!hasNats)("the events of all nodes (needs nats-server)", () => {
  test("are in one list with the names of their nodes, also those of a node that has left", async () => {
    const fleet = await testFleet();
    await (await fleet.as("adam")).setUp();
    crash(fleet, "web-1", [1, 2]);
    crash(fleet, "web-2", [3], Date.now() - 60 * SECOND);
    const [left] = await Promise.all([fleet.start("web-1"), fleet.start("web-2")]);
    await untilStored(fleet, 3);
    await left?.close();
    const vera = await fleet.as("vera");
    const { events, missing, complete } = await vera.events(ALL, HOW);
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
    const server = await testServer({ machines: () => fleet.as("vera") });
    const { json } = await ask(server, "/api/fleet/events?node=role%3Dweb&kind=exit&limit=2");
    expect(json).toEqual({
      events: events.slice(0, 2),
      next: expect.stringMatching(/^\d+\.1$/),
      complete: true,
      missing: [{ node: "web-1", state: "away" }],
    });
    const older = await ask(
      server,
      `/api/fleet/events?node=role%3Dweb&cursor=${String((json as { next: string }).next)}`,
    );
    expect(older.json).toMatchObject({ events: [{ node: "web-2", exitCode: 3 }], next: null });
    expect((await ask(server, "/api/fleet/events?node=moon")).json).toMatchObject({ code: "NODE_UNKNOWN" });
    expect((await ask(server, "/api/fleet/events?kind=bang")).status).toBe(400);
  });
});
