/** Failures in a fleet: a killed server, slow nodes, false identities, and messages that are too large. */
import { once } from "node:events";
import { createConnection, createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { contractShow, envRead, envWrite, identityShow, type Ports } from "../../src/core/index.ts";
import { openLink } from "../../src/fleet/link.ts";
import { listNodes, showNode } from "../../src/fleet/fleet.ts";
import { readFleetSettings } from "../../src/fleet/settings.ts";
import { encode } from "../../src/fleet/subjects.ts";
import { hasNats } from "../support/nats-server.ts";
import { frameworkOf, rawConnection, testFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const SAVE = { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" }, foreignKeys: "refuse" } as const;
const MS = 60_000;

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { kind: string; body: { code?: string } }) => error.body.code ?? error.kind,
  );

const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

/** Delays each packet of the node. @returns the address */
async function slowLine(url: string): Promise<string> {
  const line = createServer((near) => {
    const far = createConnection(Number(new URL(url).port), "127.0.0.1");
    const end = (): void => void (near.destroy(), far.destroy());
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    far.pipe(near);
    near.on("data", (bytes) => setTimeout(() => far.write(bytes), 50));
  }).listen(0, "127.0.0.1");
  await once(line, "listening");
  onTestFinished(() => void line.close());
  return `nats://127.0.0.1:${(line.address() as AddressInfo).port}`;
}

describe.skipIf(!hasNats)("the server is killed (needs nats-server)", () => {
  longTest(
    "a node returns to the fleet when the server is available again, even if the server lost its memory",
    async () => {
      const fleet = await testFleet();
      const node = await fleet.start("web-1");
      await fleet.server.kill();
      await node.logged("the NATS server is unreachable");
      await fleet.server.again();
      await node.logged("node is announced again");
      const vera = await fleet.as("vera");
      expect(await vera.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "vera" });
      expect((await showNode(vera, "web-1", MS)).state).toBe("online");
    },
  );

  test("a change without a server fails immediately, and is not carried out later", async () => {
    const fleet = await testFleet();
    const node = await fleet.start("web-1");
    const settings = await readFleetSettings(fleet.ports("edda"), fleet.variables("edda"));
    const link = await openLink(settings, { kind: "user", name: "edda" });
    onTestFinished(() => link.close());
    const status = (wanted: string) =>
      new Promise<void>((resolve) => link.onStatus((type) => type === wanted && resolve()));
    const [away, back] = [status("disconnect"), status("reconnect")];
    await fleet.server.kill();
    await away;
    const change = encode({ input: SAVE, id: "12345678", notAfter: Date.now() + 60_000 });
    expect(
      await outcome(link.request({ node: "web-1", kind: "write", id: "env.write", user: "edda" }, change, MS)),
    ).toBe("NODE_UNREACHABLE");
    await fleet.server.again();
    await Promise.all([back, node.logged("connected to NATS again")]);
    await link.request({ node: "web-1", kind: "read", id: "identity.show", user: "edda" }, encode({ input: {} }), MS);
    expect(frameworkOf(fleet, "web-1")).toBe("express");
  });

  test("a node that says it is in the fleet is found at once, over a slow line too", async () => {
    const fleet = await testFleet();
    const vera = await fleet.as("vera");
    const line = await slowLine(fleet.server.url);
    await fleet.start("web-1", { url: line });
    expect(await vera.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "vera" });
  });

  longTest("without a server, svcm names the address that it tried", async () => {
    const fleet = await testFleet();
    await fleet.server.kill();
    await expect(fleet.as("vera")).rejects.toMatchObject({
      kind: "FLEET_FAILED",
      body: { code: "FLEET_UNREACHABLE", details: expect.stringContaining(fleet.server.url) },
    });
  });

  longTest("credentials that the server does not know are refused", async () => {
    const [fleet, other] = [await testFleet(), await testFleet()];
    const env = { ...other.variables("vera"), SVC_SERVICE_MANAGEMENT_NATS_URL: fleet.server.url };
    const settings = await readFleetSettings(other.ports("vera"), env);
    expect(await outcome(openLink(settings, { kind: "user", name: "vera" }))).toBe("FLEET_REFUSED");
  });
});

describe.skipIf(!hasNats)("unavailable nodes (needs nats-server)", () => {
  longTest("a node that does not answer in time is silent, a node that left is away, and both are named", async () => {
    const fleet = await testFleet();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = (ports: Ports): Ports => ({
      ...ports,
      releases: { ...ports.releases, list: () => held.then(() => []) },
    });
    await fleet.start("web-1", { world: slow });
    await fleet.start("web-2");
    const vera = await fleet.as("vera");
    const nodes = await listNodes(vera, 3_000);
    release();
    expect(nodes.map(({ name, state, labels }) => [name, state, labels["role"]])).toEqual([
      ["db-1", "away", "db"],
      ["web-1", "silent", "web"],
      ["web-2", "online", "web"],
    ]);
    expect(nodes[1]?.reason).toMatch(/did not answer before the deadline\.$/);
  });

  longTest("a node that shuts down properly leaves the list immediately", async () => {
    const fleet = await testFleet();
    const node = await fleet.start("web-1");
    const vera = await fleet.as("vera");
    expect((await showNode(vera, "web-1", MS)).svcm).toBe("1.2.3");
    await node.close();
    const gone = await showNode(vera, "web-1", MS);
    expect([gone.state, gone.svcm]).toEqual(["away", undefined]);
  });

  test("a clock that is ten hours behind or ahead does not prevent a change", async () => {
    const fleet = await testFleet();
    for (const [node, apart] of [
      ["web-1", -36_000_000],
      ["web-2", 36_000_000],
    ] as const) {
      await fleet.start(node, {
        world: (ports) => ({ ...ports, clock: { ...ports.clock, now: () => Date.now() + apart } }),
      });
      await (await fleet.as("edda")).ask(node, envWrite, SAVE, MS);
      expect(frameworkOf(fleet, node)).toBe("fastify");
    }
  });

  const presenceOf = (instance: string, more: object = {}): string =>
    JSON.stringify({
      instance,
      svcm: "1.2.3",
      nodejs: "20.0.0",
      pm2: null,
      environments: [],
      services: [],
      startedAt: new Date().toISOString(),
      run: { host: "the-other-host", place: "p", pid: 1, startTime: null },
      ...more,
    });

  longTest("a second program with the name of a node does not start, and says which host has it", async () => {
    const fleet = await testFleet();
    const other = await rawConnection(fleet, "web-1");
    const beat = () => other.request("in.nodes.web-1", presenceOf("another"));
    await beat();
    const started = outcomeOf(fleet.start("web-1"));
    let ended: unknown;
    while (ended === undefined) ended = await Promise.race([started, beat().then(() => undefined)]);
    expect(ended).toMatchObject({
      kind: "START_REFUSED",
      body: { code: "NODE_NAME_TAKEN", details: expect.stringContaining("on the host the-other-host") },
    });
  });

  longTest(
    "of two agents with one name the second does not start; after kill -9 the first one does, at once",
    async () => {
      const fleet = await testFleet();
      await fleet.start("web-1");
      const begun = Date.now();
      await expect(fleet.start("web-1")).rejects.toMatchObject({ body: { code: "NODE_NAME_TAKEN" } });
      expect(Date.now() - begun).toBeLessThan(13_000);
      const vera = await fleet.as("vera");
      expect(await showNode(vera, "web-1", MS)).toMatchObject({
        state: "duplicate",
        reason: expect.stringContaining("wants the same name"),
      });
    },
  );

  longTest("a node whose name another machine has taken answers nothing until the name is free again", async () => {
    const fleet = await testFleet();
    const node = await fleet.start("web-1");
    const write = async (text: string) => (await rawConnection(fleet, "web-1")).request("in.nodes.web-1", text);
    const vera = await fleet.as("vera");
    // Her connection may come back later than that of the node.
    const stateFor = async (ms: number) => (await showNode(vera, "web-1", ms).catch(() => undefined))?.state;
    // After a reconnect, a node announces itself at once.
    const reconnect = async (): Promise<void> => {
      await fleet.server.kill();
      await fleet.server.again();
    };
    await write(presenceOf("another"));
    await reconnect();
    await node.logged("another svcm has the name of this node, so this one answers no requests");
    await expect.poll(() => stateFor(1_000)).toBe("silent");
    await write(presenceOf("another", { left: true }));
    await reconnect();
    await node.logged("the name of the node is free again");
    await expect.poll(() => stateFor(MS)).toBe("online");
  });

  test("a name that svcm.yaml does not declare is refused", async () => {
    const fleet = await testFleet();
    await expect(fleet.start("web-9")).rejects.toMatchObject({
      kind: "START_REFUSED",
      body: { details: expect.stringContaining("web-1, web-2, db-1") },
    });
  });
});

test.skipIf(!hasNats)("an answer that the server does not deliver is a refusal (needs nats-server)", async () => {
  const fleet = await testFleet({ more: "max_payload: 8192" });
  await fleet.start("web-1");
  const vera = await fleet.as("vera");
  expect(await outcome(vera.ask("web-1", contractShow, {}, MS))).toBe("ANSWER_TOO_LARGE");
  expect(await outcome(vera.ask("web-1", envRead, { environment: "dev" }, MS))).toBe("done");
});
