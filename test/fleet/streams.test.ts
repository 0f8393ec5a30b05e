/** A key changes nothing on the NATS server beyond its own subjects, also not by the subject to which a reply goes. */
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { identityShow } from "../../src/core/index.ts";
import { natsConfigOf } from "../../src/fleet/index.ts";
import { importedApi, rolloutStream, type StreamVerb } from "../../src/fleet/subjects.ts";
import { hasNats } from "../support/nats-server.ts";
import { svcm } from "../support/svcm.ts";
import { frameworkOf, rawConnection, rolloutText, testFleet, type TestFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const MS = 60_000;
const STREAMS = ["svcm_nodes", "svcm_events", rolloutStream("dev"), rolloutStream("staging")];
const SUBJECTS = [
  ...["web-1", "web-2", "moon"].flatMap((node) => [`in.nodes.${node}`, `in.events.${node}`]),
  ...["adam", "edda", "vera"].map((user) => `in.rollout.dev.${user}`),
  "in.rollout.staging.stig",
];

const answer = async (connection: NatsConnection, subject: string, body = ""): Promise<string> =>
  (await connection.request(subject, body, { timeout: MS })).string();

const api = async (connection: NatsConnection, verb: StreamVerb, stream: string, body: object = {}) =>
  JSON.parse(await answer(connection, importedApi(verb, stream), JSON.stringify(body))) as {
    config: { subjects: string[]; [name: string]: unknown };
    state: { subjects?: Record<string, number>; last_seq: number };
    error?: { err_code: number };
  };

/** The newest number and the count of each subject, as an admin sees it. */
async function contents(admin: NatsConnection): Promise<Record<string, number>> {
  const all = await Promise.all(STREAMS.map((stream) => api(admin, "INFO", stream, { subjects_filter: ">" })));
  return Object.assign({}, ...all.map(({ state }) => state.subjects ?? {})) as Record<string, number>;
}

/** The subjects that the account of the key imports, by the printed configuration, with the name that the key uses. */
async function importsOf(fleet: TestFleet, account: string): Promise<string[]> {
  const config = await natsConfigOf(fleet.ports("adam"));
  const [, own = ""] = new RegExp(`\\n  ${account} \\{(.*?)\\n  \\}`, "s").exec(config) ?? [];
  return Array.from(own.matchAll(/subject: "([^"]+)" \}(?:, to: "([^"]+)")?/g), ([, subject, to]) => to ?? subject!);
}

describe.skipIf(!hasNats)("the data that svcm keeps on the NATS server (needs nats-server)", () => {
  longTest("is created by an admin; a viewer and a node say so, and then the node appears", async () => {
    const fleet = await testFleet({ isSetUp: false });
    const node = await fleet.start("web-1");
    await node.logged("the node could not be announced");
    const run = (user: string, ...args: string[]) => svcm(args, { root: fleet.root(user), env: fleet.variables(user) });
    const before = await run("vera", "nodes", "list");
    expect([before.code, before.stdout]).toEqual([3, ""]);
    expect(before.stderr.replaceAll(/\s+/g, " ")).toContain("An admin sets it up once: svcm nats setup");
    expect((await run("edda", "nats", "setup")).code).toBe(3);
    const made = await run("adam", "nats", "setup");
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("The NATS server is set up.")]);
    expect((await run("adam", "nats", "setup")).stdout).toContain("already has these settings");
    const vera = await fleet.as("vera");
    const isThere = async () => (await vera.nodes()).find(({ name }) => name === "web-1")?.presence !== undefined;
    await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
  });

  longTest("survives a restart of the server", async () => {
    const fleet = await testFleet();
    const text = rolloutText({ owner: "adam" });
    await (await fleet.as("adam")).rollouts.replace("dev", text, 0);
    await fleet.server.kill();
    await fleet.server.again();
    const adam = await fleet.as("adam");
    expect([(await adam.rollouts.read("dev")).text, await adam.setUp()]).toEqual([text, "unchanged"]);
  });

  /** Every request of a key, with every place to which the server's answer could go. */
  longTest.each([
    ["vera", "U-vera", []],
    ["stig", "U-stig", ["in.rollout.staging.stig"]],
    ["edda", "U-edda", ["in.rollout.dev.edda", "in.rollout.staging.edda"]],
    ["web-2", "N-web-2", ["in.nodes.web-2", "in.events.web-2"]],
  ])("%s changes only its own part, whatever it publishes and wherever the reply goes", async (name, account, own) => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    const [admin, connection] = [await rawConnection(fleet, "adam"), await rawConnection(fleet, name)];
    const received: string[] = [];
    (await rawConnection(fleet, "otto")).subscribe(">", { callback: (_, { subject }) => void received.push(subject) });
    const adam = await fleet.as("adam");
    expect(await adam.rollouts.replace("dev", rolloutText({ owner: "adam" }), 0)).toBe(1);
    const before = await contents(admin);
    const imports = await importsOf(fleet, account);
    expect(imports.length).toBeGreaterThan(5);
    const requests = [...imports.map((subject) => subject.replace("*", "web-1")), ...SUBJECTS];
    const replies = [
      ...SUBJECTS,
      ...STREAMS.flatMap((stream) => [
        importedApi("INFO", stream),
        ...["UPDATE", "DELETE", "PURGE"].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
      ]),
      "svcm.web-1.write.env.write.adam",
      "svcm.web-1.write.env.write.edda",
      "*",
      ">",
      "foo.*",
      "in.>",
      "_INBOX.x",
      "_R_.x",
      "$JS.ACK.x",
      "$SYS.REQ.SERVER.PING",
    ];
    for (const subject of requests)
      for (const reply of replies)
        for (const body of ["", '{"seq":1}', JSON.stringify({ last_by_subj: "in.rollout.dev.adam" })])
          connection.publish(subject, body, { reply });
    await connection.flush().catch(() => undefined);
    const second = await rawConnection(fleet, name);
    await answer(second, importedApi("INFO", "svcm_nodes"));
    const after = await contents(admin);
    const changed = Object.keys({ ...before, ...after }).filter((subject) => before[subject] !== after[subject]);
    expect(changed.filter((subject) => !own.includes(subject as never))).toEqual([]);
    expect((await adam.rollouts.read("dev")).rollout).toMatchObject({ owner: "adam", id: "r1" });
    expect(await adam.setUp()).toBe("unchanged");
    expect(received).toEqual([]);
    expect(await adam.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "adam" });
    expect(frameworkOf(fleet)).toBe("express");
  });

  test("can be read by every key, and changed by an admin only; svcm nats setup reverts that", async () => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    const own = await rawConnection(fleet, "adam");
    const { config } = await api(own, "INFO", "svcm_events");
    await api(own, "UPDATE", "svcm_events", { ...config, max_msgs_per_subject: 7, allow_direct: true });
    const adam = await fleet.as("adam");
    expect((await adam.check()).problems).toEqual([
      "The stream svcm_events has another allow_direct, max_msgs_per_subject.",
    ]);
    await expect(fleet.start("web-2")).rejects.toMatchObject({ body: { code: "NATS_SETTINGS" } });
    expect(await adam.setUp()).toBe("changed");
    expect((await adam.check()).problems).toEqual([]);
    expect((await api(own, "INFO", "svcm_events")).config).toMatchObject({ allow_direct: false });
  });

  longTest(
    "a record that is too large, or of which the key has written too many, hides nothing of another node",
    async () => {
      const fleet = await testFleet({ events: { maxPerNode: 100 } });
      const [admin, one, two] = await Promise.all(["adam", "web-1", "web-2"].map((name) => rawConnection(fleet, name)));
      for (let at = 0; at < 60; at += 1) await answer(one!, "in.events.web-1", "{}");
      expect(JSON.parse(await answer(two!, "in.events.web-2", "x".repeat(9_000)))).toMatchObject({
        error: { err_code: 10_054 },
      });
      for (let at = 0; at < 1_000; at += 1) two!.publish("in.events.web-2", "x".repeat(8_000), { reply: "nowhere" });
      await answer(two!, "in.events.web-2", "{}");
      expect(await contents(admin!)).toMatchObject({ "in.events.web-1": 60, "in.events.web-2": 100 });
    },
  );
});

/** The layout of svcm before: one account, in which permissions limit what each key publishes. */
const former = (keyOf: (name: string) => string): string => {
  const user = (name: string, publish: readonly string[]) =>
    `{ nkey: ${keyOf(name)}, permissions: { publish: { allow: ${JSON.stringify(publish)} }, subscribe: { allow: ["_INBOX.>", "svcm.>"] } } }`;
  const users = [
    user("adam", ["$JS.API.STREAM.>", "$KV.>", "svcm.*.events"]),
    user("vera", ["svcm.*.read.>"]),
    user("web-1", ["$JS.API.STREAM.>"]),
  ];
  return `accounts { SVCM { jetstream: enabled, users: [ ${users.join(", ")} ] } }`;
};

describe.skipIf(!hasNats)("a server of the former layout (needs nats-server)", () => {
  longTest(
    "is named with the remedy; after a restart and svcm nats setup the nodes appear, and the old streams rest",
    async () => {
      const fleet = await testFleet({ accounts: former, isSetUp: false });
      const old = await rawConnection(fleet, "adam");
      const define = (name: string, subjects: string[]) =>
        answer(old, `$JS.API.STREAM.CREATE.${name}`, JSON.stringify({ name, subjects, deny_delete: true }));
      await define("svcm_events", ["svcm.*.events"]);
      await define("KV_svcm_rollouts", ["$KV.svcm_rollouts.*"]);
      await answer(old, "svcm.web-1.events", '{"id":"a"}');
      const run = (user: string, ...args: string[]) =>
        svcm(args, { root: fleet.root(user), env: fleet.variables(user) });
      for (const user of ["adam", "vera"]) {
        const { code, stderr } = await run(user, "nats", "check");
        expect([user, code, stderr.replaceAll(/\s+/g, " ")]).toEqual([
          user,
          3,
          expect.stringContaining("svcm nats config"),
        ]);
      }
      await fleet.server.kill();
      await fleet.server.again({ accounts: await natsConfigOf(fleet.ports("adam")) });
      const setup = await run("adam", "nats", "setup");
      expect(setup.stdout, setup.stderr).toContain("The NATS server is set up.");
      await fleet.start("web-1");
      const vera = await fleet.as("vera");
      expect((await vera.nodes()).find(({ name }) => name === "web-1")?.presence).toBeDefined();
      const { events } = await vera.events({ nodes: ["all"], apps: [], limit: 10 });
      expect(events).toEqual([]);
      expect((await run("adam", "nats", "check")).code).toBe(0);
    },
  );
});

describe.skipIf(!hasNats)("the printed configuration (needs nats-server)", () => {
  test("has no import with a wildcard and another name, no local $JS.API, and no user beside the streams", async () => {
    const fleet = await testFleet({ isSetUp: false });
    const text = await natsConfigOf(fleet.ports("adam"));
    const imports = Array.from(text.matchAll(/subject: "([^"]+)" \}, to: "([^"]+)"/g), ([, subject, to]) => [
      subject,
      to,
    ]);
    expect(imports.length).toBeGreaterThan(50);
    for (const [subject, to] of imports) {
      expect(subject).not.toMatch(/[*>]/);
      expect(to).not.toMatch(/^\$/);
    }
    expect(text).not.toMatch(/^\s*no_auth_user/m);
    for (const account of ["STREAMS", "FLEET"])
      expect(new RegExp(`\\n  ${account} \\{(.*?)\\n  \\}`, "s").exec(text)?.[1]).not.toContain("users");
  });
});
