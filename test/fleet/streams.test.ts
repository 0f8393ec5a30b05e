/** Only an admin creates svcm's streams on the NATS server, and the server does not send their content as another user. */
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { auditList } from "../../src/core/index.ts";
import { hasNats } from "../support/nats-server.ts";
import { svcm } from "../support/svcm.ts";
import { frameworkOf, rawConnection, testFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const MS = 60_000;
const STREAMS = ["KV_svcm_nodes", "KV_svcm_rollouts", "svcm_events"];
const WRITE = "svcm.web-1.write.env.write.adam";
const forged = (id: string): string =>
  JSON.stringify({
    input: { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" }, foreignKeys: "refuse" },
    id,
    notAfter: Date.now() + MS,
  });

const answer = async (connection: NatsConnection, subject: string, body = ""): Promise<string> =>
  (await connection.request(subject, body, { timeout: MS })).string();

describe.skipIf(!hasNats)("the data that svcm keeps on the NATS server (needs nats-server)", () => {
  test.each(["vera", "edda", "web-2"])("%s may neither make, change, delete nor forward it", async (name) => {
    const fleet = await testFleet({ isSetUp: false });
    const connection = await rawConnection(fleet, name);
    const verbs = STREAMS.flatMap((stream) => [
      ...["CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE"].map((verb) => `STREAM.${verb}.${stream}`),
      `DIRECT.GET.${stream}`,
      `DIRECT.GET.${stream}.svcm.${name}.events`,
      `CONSUMER.CREATE.${stream}`,
      `CONSUMER.CREATE.${stream}.a.svcm.${name}.events`,
      `CONSUMER.DURABLE.CREATE.${stream}.a`,
      `CONSUMER.MSG.NEXT.${stream}.a`,
    ]);
    for (const verb of verbs)
      await expect(answer(connection, `$JS.API.${verb}`), verb).rejects.toThrow(/permissions violation/i);
  });

  test("is created by an admin; a viewer and a node say so, and then the node appears", async () => {
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
    await (await fleet.as("adam")).rollouts.replace("text", 0);
    await fleet.server.kill();
    await fleet.server.again();
    const adam = await fleet.as("adam");
    expect([(await adam.rollouts.read())?.text, await adam.setUp()]).toEqual(["text", "unchanged"]);
  });

  test("can be changed by an admin, who can then read the answers to others; svcm nats setup reverts that", async () => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    const own = await rawConnection(fleet, "adam");
    const api = async (verb: string, body: object) =>
      JSON.parse(await answer(own, `$JS.API.STREAM.${verb}.svcm_events`, JSON.stringify(body))) as {
        config?: { subjects: string[] };
        message?: { data: string };
      };
    const { config } = await api("INFO", {});
    const answers = "_INBOX.user.vera.>";
    await api("UPDATE", { ...config, subjects: [...(config?.subjects ?? []), answers] });
    await (await fleet.as("vera")).ask("web-1", auditList, { limit: 1 }, MS);
    const { message } = await api("MSG.GET", { seq: 1, next_by_subj: answers });
    expect(atob(message?.data ?? "")).toContain('"records":[');
    expect(await (await fleet.as("adam")).setUp()).toBe("changed");
    expect(await api("INFO", {})).toMatchObject({ config: { subjects: ["svcm.*.events"] } });
  });

  test("a text that a node has stored is not sent to another node as the request of a user", async () => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    const own = await rawConnection(fleet, "web-2");
    await answer(own, "$KV.svcm_nodes.web-2", forged("of-an-entry"));
    await answer(own, "svcm.web-2.events", forged("of-an-event"));
    const last = (subject: string): string => JSON.stringify({ last_by_subj: subject });
    const ask = (stream: string, body: string) =>
      own.publish(`$JS.API.STREAM.MSG.GET.${stream}`, body, { reply: WRITE });
    ask("KV_svcm_nodes", last("$KV.svcm_nodes.web-2"));
    ask("svcm_events", last("svcm.web-2.events"));
    const adam = await fleet.as("adam");
    const refused = async () =>
      (await adam.ask("web-1", auditList, { limit: 10 }, MS)).records.map(({ code, actor }) => [code, actor]);
    await expect.poll(refused, { timeout: 20_000 }).toContainEqual(["REQUEST_FORGED", undefined]);
    expect(frameworkOf(fleet)).toBe("express");
  });

  test("a request whose answer would go to another user is refused and recorded", async () => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    const connection = await rawConnection(fleet, "edda");
    for (const reply of ["_INBOX.user.adam.web-1.1", "_INBOX.user.edda.web-2.1", "svcm.web-2.read.node.show.adam"])
      connection.publish(WRITE.replace("adam", "edda"), forged("12345678"), { reply });
    connection.publish(WRITE.replace("adam", "edda"), forged("12345678"));
    const edda = await fleet.as("edda");
    const codes = async () => (await edda.ask("web-1", auditList, { limit: 10 }, MS)).records.map(({ code }) => code);
    await expect.poll(codes, { timeout: 20_000 }).toContain("REQUEST_FORGED");
    expect(frameworkOf(fleet)).toBe("express");
  });

  test.each(["vera", "edda", "web-2"])("no answer of the server to %s becomes a request of JetStream", async (name) => {
    const fleet = await testFleet();
    const adam = await fleet.as("adam");
    const revision = await adam.rollouts.replace("text", 0);
    const connection = await rawConnection(fleet, name);
    const bodies = ["", "{}", '{"seq":1}', '{"seq":99}', "no JSON"];
    const verbs = ["DELETE", "PURGE", "UPDATE", "CREATE", "MSG.DELETE", "SNAPSHOT", "RESTORE"];
    const replies = STREAMS.flatMap((victim) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${victim}`));
    const subjects = STREAMS.flatMap((stream) => [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`]);
    for (const reply of replies)
      for (const subject of subjects) for (const body of bodies) connection.publish(subject, body, { reply });
    await answer(connection, "$JS.API.STREAM.INFO.svcm_events");
    expect(await adam.rollouts.read()).toEqual({ text: "text", revision });
    expect([await adam.setUp(), await adam.nodes()]).toMatchObject(["unchanged", { length: 3 }]);
  });
});
