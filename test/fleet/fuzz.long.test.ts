/**
 * Every kind of key over every subject, stream and bucket, with any reply and header: nothing is readable or writable
 * beyond its role, and server and nodes serve on. SVCM_FUZZ_SECONDS and SVCM_FUZZ_SEED choose how long and what.
 */
import { headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { median } from "../../bench/median.ts";
import { identityShow, SvcmError } from "../../src/core/index.ts";
import type { Fleet } from "../../src/fleet/fleet.ts";
import { natsConfigOf } from "../../src/fleet/index.ts";
import { importedApi, rolloutStream } from "../../src/fleet/subjects.ts";
import { hasNats } from "../support/nats-server.ts";
import { randomNumbers } from "../support/random.ts";
import { frameworkOf, rawConnection, rolloutText, testFleet } from "./support.ts";

const SECONDS = Number(process.env["SVCM_FUZZ_SECONDS"] ?? 20);
const SEED = Number(process.env["SVCM_FUZZ_SEED"] ?? Date.now() % 1_000_000);
const BATCH = 150;
const MS = 60_000;
/** Of the waiting time of another user: the messages before the request have to be read first. */
const MAX_SLOWDOWN = 10;
const MARK = "x-from";

/** The subjects that each may write on the server. An honest key sends nothing in this test but what svcm itself sends. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  vera: [],
  otto: [],
  stig: ["in.rollout.staging.stig"],
  edda: ["in.rollout.dev.edda", "in.rollout.staging.edda"],
  "web-2": ["in.nodes.web-2", "in.events.web-2"],
  "db-1": ["in.nodes.db-1", "in.events.db-1"],
};
const NODES = new Set(["web-2", "db-1"]);
const STREAMS = ["svcm_nodes", "svcm_events", rolloutStream("dev"), rolloutStream("staging"), "KV_svcm", "OBJ_x", "*"];
const VERBS = ["INFO", "MSG.GET", "MSG.DELETE", "CREATE", "UPDATE", "DELETE", "PURGE", "SNAPSHOT", "RESTORE"];
/** No key of this test is given one of these, or not in this form. */
const UNKNOWN = [
  ...STREAMS.flatMap((stream) => VERBS.map((verb) => `$JS.API.STREAM.${verb}.${stream}`)),
  ...STREAMS.flatMap((stream) => VERBS.map((verb) => `svcm.api.STREAM.${verb}.${stream}`)),
  ...["CONSUMER.CREATE", "CONSUMER.LIST", "DIRECT.GET", "STREAM.NAMES", "INFO", "ACCOUNT.PURGE"].flatMap((verb) => [
    `$JS.API.${verb}.svcm_events`,
    `$JS.API.${verb}`,
  ]),
  "$KV.svcm_nodes.web-1",
  "$O.x.C.y",
  "$SYS.REQ.SERVER.PING",
  "$SYS.REQ.ACCOUNT.STREAMS.CONNZ",
  "$SYS.>",
  "in.>",
  "in.rollout.dev.adam",
  "in.nodes.web-1",
  "in.events.web-1",
  "_INBOX.x",
  "_R_.x",
  "$JS.ACK.x",
  ">",
  "svcm.web-1.write.env.write.adam",
  "svcm.web-1.read.env.read.adam",
];
const MUTANTS = ["*", ">", "", "web-1", "adam", "$JS", "in", "dev", "read", "write", "a b"];

const TRICKS: readonly (readonly [name: string, value: string])[] = [
  ["Nats-Msg-Id", "web-1.1"],
  ["Nats-Rollup", "all"],
  ["Nats-Rollup", "sub"],
  ["Nats-TTL", "1s"],
  ["Nats-Incr", "+1"],
  ["Nats-Schedule", "@every 1s"],
  ["Nats-Schedule-Target", "in.nodes.web-1"],
  ["Nats-Trace-Dest", "in.events.web-1"],
  ["Nats-Batch-Id", "b"],
  ["Nats-Expected-Stream", "svcm_nodes"],
  ["Nats-Expected-Last-Sequence", "1"],
  ["Nats-Expected-Last-Subject-Sequence", "0"],
  ["Nats-Request-Info", '{"acc":"STREAMS"}'],
];

/** The right to write to a node is that of an editor, and its effect is not the subject of this test. */
const writes = (name: string): readonly string[] =>
  name === "edda"
    ? []
    : [
        JSON.stringify({
          input: { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" }, foreignKeys: "refuse" },
          id: `fuzz-${name}-${Date.now()}`,
          notAfter: Date.now() + 10_000,
        }),
      ];

const bodies = (name: string): readonly string[] => [
  "",
  "{}",
  '{"seq":1}',
  '{"last_by_subj":"in.rollout.dev.adam"}',
  '{"seq":1,"next_by_subj":">"}',
  '{"subjects_filter":">"}',
  '{"input":{}}',
  '{"purge":true}',
  '{"name":"svcm_nodes","subjects":["in.nodes.*"],"republish":{"src":">","dest":"in.>"}}',
  rolloutText({ owner: name }),
  rolloutText({ owner: "adam", environment: "staging" }),
  JSON.stringify({ instance: name, svcm: "1", nodejs: "20", pm2: null, environments: [], services: [] }),
  "x".repeat(9_000),
  ...writes(name),
];

function isAbout(name: string, advisory: string): boolean {
  const accounts = Array.from(advisory.matchAll(/"acc(?:ount)?":\s*"([^"]+)"/g), ([, account]) => account);
  return accounts.length > 0 && accounts.every((account) => account === `${NODES.has(name) ? "N" : "U"}-${name}`);
}

/** Neither sent by the key itself, nor an answer to it, nor a request to the node. */
function isForeign(name: string, own: ReadonlySet<string>, message: Msg): boolean {
  const { subject } = message;
  // The server reports to each account its own requests.
  if (subject.startsWith("$JS.EVENT.ADVISORY") && isAbout(name, message.string())) return false;
  // An answer of the server has headers without the mark.
  const from = message.headers?.get(MARK) || undefined;
  const isRequest = NODES.has(name) && subject.startsWith(`svcm.${name}.`);
  const isAnswer = from === undefined && (subject.startsWith("_INBOX") || own.has(subject));
  return from !== name && !isRequest && !isAnswer;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The milliseconds until a user has an answer of the node. It comes, however busy the machine is. */
async function waitOf(user: Fleet): Promise<number> {
  const before = performance.now();
  for (;;) {
    const answer = await user.ask("web-1", identityShow, {}, MS).catch((error: unknown) => {
      if (error instanceof SvcmError && error.body.code === "NODE_TIMEOUT") return undefined;
      throw error;
    });
    if (answer === undefined) continue;
    expect(answer).toMatchObject({ actor: "mona" });
    return performance.now() - before;
  }
}

describe.skipIf(!hasNats)("a fuzzer of keys (needs nats-server)", () => {
  test(`seed ${SEED}, ${SECONDS} s`, { timeout: (SECONDS + 240) * 1000 }, async () => {
    const fleet = await testFleet({
      users: {
        adam: { role: "admin" },
        mona: { role: "viewer" },
        vera: { role: "viewer" },
        otto: { role: "operator" },
        stig: { role: "editor", environments: ["staging"] },
        edda: { role: "editor" },
      },
    });
    await fleet.start("web-1");
    const [adam, mona] = [await fleet.as("adam"), await fleet.as("mona")];
    await adam.rollouts.replace("dev", rolloutText({ owner: "adam" }), 0);
    const admin = await rawConnection(fleet, "adam");
    const random = randomNumbers(SEED);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const config = await natsConfigOf(fleet.ports("adam"));
    const known = Array.from(
      config.matchAll(/subject: "([^"]+)" \}(?:, to: "([^"]+)")?/g),
      ([, subject, to]) => to ?? subject!,
    );
    const subjects = [...new Set(known), ...UNKNOWN];
    const mutated = (subject: string): string => {
      const parts = subject.split(".");
      if (random() < 0.5) parts[Math.floor(random() * parts.length)] = pick(MUTANTS);
      return parts.map((part) => (part === "*" && random() < 0.7 ? pick(["web-1", "web-2", "moon"]) : part)).join(".");
    };
    const violations: string[] = [];
    const sent = new Map(Object.keys(OWN).map((name) => [name, new Set<string>()]));
    const open = async (name: string): Promise<NatsConnection> => {
      const connection = await rawConnection(fleet, name);
      for (const subject of [">", "in.>", "svcm.>", "$JS.>", "$SYS.>", "_INBOX.>"])
        connection.subscribe(subject, {
          callback: (error, message) => {
            if (error === null && isForeign(name, sent.get(name)!, message))
              violations.push(`${name} received ${message.subject} of ${message.headers?.get(MARK)}`);
          },
        });
      return connection;
    };
    const attack = (name: string, connection: NatsConnection): void => {
      const [subject, reply] = [mutated(pick(subjects)), random() < 0.8 ? mutated(pick(subjects)) : undefined];
      const head = headers();
      head.set(MARK, name);
      if (random() < 0.4) head.set(...pick(TRICKS));
      sent.get(name)!.add(subject);
      if (reply !== undefined) sent.get(name)!.add(reply);
      try {
        connection.publish(subject, pick(bodies(name)), { headers: head, ...(reply !== undefined && { reply }) });
      } catch {
        // The client itself refuses some subjects.
      }
    };
    const connections = new Map<string, NatsConnection>();
    const positions = new Map<string, number>();
    const until = Date.now() + SECONDS * 1000;
    let count = 0;
    const quiet: number[] = [];
    const attacked: number[] = [];
    while (Date.now() < until) {
      const name = pick(Object.keys(OWN));
      let connection = connections.get(name);
      if (connection === undefined || connection.isClosed()) connections.set(name, (connection = await open(name)));
      quiet.push(await waitOf(mona));
      for (let at = 0; at < BATCH; at += 1, count += 1) attack(name, connection);
      attacked.push(await waitOf(mona));
      await Promise.race([connection.flush().catch(() => undefined), pause(5_000)]);
      violations.push(...(await newRecordsAgainst(admin, positions)));
      expect([name, violations]).toEqual([name, []]);
    }
    for (const connection of connections.values()) await connection.close();
    const [before, during] = [median(quiet), median(attacked)];
    console.log(
      `fuzz of keys: seed ${SEED}, ${count} messages; an answer took ${before.toFixed(1)} ms before and ${during.toFixed(1)} ms during`,
    );
    // Both are of the same minutes, so other work on the machine slows both.
    expect(during).toBeLessThan(MAX_SLOWDOWN * before);
    // The server answers what has been sent before.
    const isThere = async (): Promise<boolean | undefined> =>
      (await mona.nodes().catch(() => [])).some(({ name, presence }) => name === "web-1" && presence !== undefined);
    await expect.poll(isThere, { timeout: 2 * MS, interval: 1_000 }).toBe(true);
    expect((await adam.check()).problems).toEqual([]);
    expect(frameworkOf(fleet)).toBe("express");
    expect(["adam", "edda"]).toContain((await adam.rollouts.read("dev")).rollout?.owner ?? "adam");
  });
});

/** Records that a key has written where it may not, and text of the server where no key of this test writes. */
async function newRecordsAgainst(admin: NatsConnection, positions: Map<string, number>): Promise<string[]> {
  const found: string[] = [];
  for (const stream of STREAMS.slice(0, 4)) {
    for (let seq = positions.get(stream) ?? 1; ;) {
      const body = JSON.stringify({ seq, next_by_subj: ">" });
      const answer = (await admin.request(importedApi("MSG.GET", stream), body, { timeout: MS })).json<{
        readonly message?: { subject: string; seq: number; hdrs?: string; data?: string };
      }>();
      const { message } = answer;
      if (message === undefined) break;
      seq = message.seq + 1;
      positions.set(stream, seq);
      const decode = (text = ""): string => Buffer.from(text, "base64").toString("latin1");
      const [, from] = new RegExp(`${MARK}: (\\S+)`).exec(decode(message.hdrs)) ?? [];
      const isOwned = (name: string): boolean => OWN[name]?.includes(message.subject) === true;
      const isOfServer = /"type":"io\.nats|"stream":"svcm/.test(decode(message.data));
      if (from !== undefined ? !isOwned(from) : isOfServer && !Object.keys(OWN).some(isOwned))
        found.push(`${stream} ${message.subject} of ${from ?? "the server"}: ${decode(message.data).slice(0, 80)}`);
    }
  }
  return found;
}
