/** Requests of users to nodes, over a real NATS server with the permissions that svcm prints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { beforeAll, describe, expect, test } from "vitest";
import { roles, type Role } from "../../src/core/api/rights.ts";
import {
  auditList,
  envRead,
  envWrite,
  identityShow,
  isGranted,
  nodeShow,
  processAct,
  processList,
  remoteOperations,
  rightsOf,
  type Identity,
  rolloutApply,
  type Operation,
} from "../../src/core/index.ts";
import { parseAddress, requestKind, requestSubject, rolloutSubject } from "../../src/fleet/subjects.ts";
import { hasNats } from "../support/nats-server.ts";
import { whenTestsOver } from "../support/temporary-folder.ts";
import { rawConnection, rolloutText, testFleet, type TestFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const users: Readonly<Record<Role, string>> = { viewer: "vera", operator: "otto", editor: "edda", admin: "adam" };
const SAVE = { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" }, foreignKeys: "refuse" } as const;
const MS = 60_000;

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { kind: string; body: { code?: string } }) => error.body.code ?? error.kind,
  );

const answered = { timeout: MS };

/** The account has no import for it, so nothing takes the request. */
const isNotImported = (error: Error): boolean => /no responders/i.test(`${error.message} ${String(error.cause)}`);

async function send(connection: NatsConnection, subject: string, message: unknown) {
  const data = message instanceof Uint8Array ? message : JSON.stringify(message);
  return (await connection.request(subject, data, answered)).json<{
    ok: boolean;
    error?: { code?: string; error: string };
  }>();
}

/** For tests whose requests leave the node as it is, or change what no other one reads. */
const whenOver = whenTestsOver();
let shared: TestFleet;
beforeAll(async () => {
  if (!hasNats) return;
  shared = await testFleet({ whenOver });
  await shared.start("web-1");
});

describe.skipIf(!hasNats)("requests between machines (needs nats-server)", () => {
  test("a node gives the same answer as the command on its own machine", async () => {
    const fleet = shared;
    const edda = await fleet.as("edda");
    const { response } = await edda.ask("web-1", envRead, { environment: "dev" }, MS);
    expect(response).toMatchObject({ environment: "dev", values: { SVC_HTTP_FRAMEWORK: "express" } });
    expect(await edda.ask("web-1", nodeShow, {}, MS)).toMatchObject({
      processes: { code: "PM2_NOT_RUNNING" },
      release: null,
    });
    expect(await outcome(edda.ask("web-1", processList, {}, MS))).toBe("PM2_NOT_RUNNING");
    expect(await outcome(edda.ask("web-1", envRead, { environment: "moon" }, MS))).toBe("INVALID_ENVIRONMENT");
  });

  test("the bytes of an env file do not leave the machine", async () => {
    const fleet = shared;
    const connection = await rawConnection(fleet, "vera");
    const subject = requestSubject({ node: "web-1", kind: "read", id: "env.read", user: "vera" });
    const payload = JSON.stringify({ input: { environment: "dev" } });
    const reply = await connection.request(subject, payload, answered);
    expect(Object.keys(reply.json<{ result: object }>().result)).toEqual(["response", "entityTag"]);
  });

  test("a change is carried out, and recorded with the user that the server vouches for", async () => {
    const fleet = shared;
    const edda = await fleet.as("edda");
    await edda.ask("web-1", envWrite, SAVE, MS);
    expect(readFileSync(join(fleet.root("web-1"), ".env.dev"), "utf8")).toContain("SVC_HTTP_FRAMEWORK=fastify");
    const { records } = await edda.ask("web-1", auditList, { limit: 1 }, MS);
    expect(records).toMatchObject([{ action: "env.write", actor: "edda", source: "nats", outcome: "succeeded" }]);
  });

  longTest(
    "a user that names another caller has only the common rights and limits of both, and the record names both",
    async () => {
      const fleet = await testFleet();
      await fleet.start("web-1");
      const [edda, vera, stig] = [await fleet.as("edda"), await fleet.as("vera"), await fleet.as("stig")];
      const ann = { actor: "ann", grants: rightsOf.viewer };
      const root = { actor: "root", grants: rightsOf.admin };
      const write = (fleetOf: typeof edda, sender: Identity): Promise<string> =>
        outcome(fleetOf.ask("web-1", envWrite, SAVE, MS, sender));
      const limited = { ...root, limits: { environments: ["dev"] } };
      expect([
        await write(edda, ann),
        await write(vera, root),
        await write(stig, limited),
        await write(edda, { ...root, limits: { environments: ["staging"] } }),
        await write(edda, limited),
      ]).toEqual(["RIGHT_MISSING", "NODE_FORBIDDEN", "TOKEN_LIMITED", "TOKEN_LIMITED", "done"]);
      const { records } = await edda.ask("web-1", auditList, { limit: 10 }, MS);
      expect(records.map(({ actor, outcome: end }) => [actor, end])).toEqual([
        ["root via edda", "succeeded"],
        ["root via edda", "refused"],
        ["root via stig", "refused"],
        ["ann via edda", "refused"],
      ]);
    },
  );

  test("no request is sent to a node that svcm.yaml does not declare", async () => {
    const edda = await shared.as("edda");
    for (const name of ["moon", "*", "web-1.read.node.show.vera", "__proto__"])
      expect(await outcome(edda.ask(name, nodeShow, {}, MS))).toBe("NODE_UNKNOWN");
  });

  longTest("each user has the identity that the server assigns", async () => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    for (const role of roles) {
      const sender = await fleet.as(users[role]);
      expect(await sender.ask("web-1", identityShow, {}, MS)).toEqual({
        actor: users[role],
        role,
        rights: rightsOf[role],
      });
    }
  });
});

describe.skipIf(!hasNats)("rights of users (needs nats-server)", () => {
  describe.each(roles)("the role %s", (role) => {
    longTest("has no more rights through the server than the table of rights gives it", async () => {
      const fleet = await testFleet();
      await fleet.start("web-1");
      const connection = await rawConnection(fleet, users[role]);
      for (const { id, access } of remoteOperations as readonly Operation<unknown, unknown>[]) {
        const subject = requestSubject({ node: "web-1", kind: requestKind(access), id, user: users[role] });
        // Nothing changes: no operation has this input, and a change without an id is refused.
        const answer = connection.request(subject, JSON.stringify({ input: { nothing: 1 } }), answered);
        const isRefused = await answer.then(() => false, isNotImported);
        expect([id, isRefused]).toEqual([id, !isGranted(rightsOf[role], access)]);
      }
    });
  });

  longTest("the server lets exactly the roles that may apply hold the lock of a rollout", async () => {
    const fleet = await testFleet();
    for (const role of roles) {
      const sender = await fleet.as(users[role]);
      const mayHold = isGranted(rightsOf[role], rolloutApply.access);
      const { revision } = await sender.rollouts.read("dev");
      const text = rolloutText({ owner: users[role] });
      expect([role, await outcome(sender.rollouts.replace("dev", text, revision))]).toEqual([
        role,
        mayHold ? "done" : "NODE_FORBIDDEN",
      ]);
      expect([role, (await sender.rollouts.read("dev")).text]).toEqual([role, mayHold ? text : undefined]);
      const own = await rawConnection(fleet, users[role]);
      const refused = await own
        .request(rolloutSubject("dev", users[role]), "{}", answered)
        .then(() => false, isNotImported);
      expect([role, refused]).toEqual([role, !mayHold]);
    }
  });

  test("svcm reports that the server refused a viewer's change", async () => {
    const fleet = shared;
    const vera = await fleet.as("vera");
    expect(await outcome(vera.ask("web-1", envWrite, SAVE, MS))).toBe("NODE_FORBIDDEN");
    expect(await outcome(vera.ask("web-1", processAct, { action: "stop", name: "x" }, MS))).toBe("NODE_FORBIDDEN");
  });

  longTest(
    "no user can send requests in the name of another one, or read the requests and answers of others",
    async () => {
      const fleet = await testFleet();
      await fleet.start("web-1");
      const connection = await rawConnection(fleet, "vera");
      const received: string[] = [];
      connection.subscribe(">", { callback: (_, { subject }) => void received.push(subject) });
      const subject = requestSubject({ node: "web-1", kind: "read", id: "identity.show", user: "adam" });
      const forged = connection.request(subject, JSON.stringify({ input: {} }), { ...answered, timeout: 1_000 });
      await expect(forged).rejects.toThrow(/timeout/i);
      const adam = await fleet.as("adam");
      expect(await adam.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "adam" });
      // Only what vera has sent herself reaches her.
      expect(received.filter((one) => !one.startsWith("_INBOX"))).toEqual([subject]);
      expect((await adam.ask("web-1", auditList, { limit: 5 }, MS)).records).toEqual([]);
    },
  );

  test("an editor of another environment is refused by the node, with a record", async () => {
    const fleet = shared;
    const [stig, adam] = [await fleet.as("stig"), await fleet.as("adam")];
    expect(await outcome(stig.ask("web-1", envWrite, SAVE, MS))).toBe("TOKEN_LIMITED");
    expect(await outcome(stig.ask("web-1", envWrite, { ...SAVE, environment: "staging" }, MS))).toBe("done");
    const { records } = await adam.ask("web-1", auditList, { limit: 5, outcome: "refused" }, MS);
    expect(records).toMatchObject([{ action: "env.write", actor: "stig", source: "nats", code: "TOKEN_LIMITED" }]);
  });

  test("the role of svcm.yaml holds also if the server permits more", async () => {
    const fleet = await testFleet({ users: { vera: { role: "editor" }, adam: { role: "admin" } } });
    // The svcm.yaml of the node changes after the server has read its permissions.
    const text = readFileSync(join(fleet.root("web-1"), "svcm.yaml"), "utf8");
    await fleet.start("web-1", {
      world: (ports) => ({
        ...ports,
        facts: {
          ...ports.facts,
          project: async () => {
            const project = await ports.facts.project();
            return project && { ...project, nats: { ...project.nats!, users: { vera: { role: "viewer" } } } };
          },
        },
      }),
    });
    expect(text).toContain('"vera":{"role":"editor"');
    const [vera, adam] = [await fleet.as("vera"), await fleet.as("adam")];
    expect(await outcome(vera.ask("web-1", envWrite, SAVE, MS))).toBe("RIGHT_MISSING");
    expect(await outcome(adam.ask("web-1", envRead, { environment: "dev" }, MS))).toBe("NATS_USER_UNKNOWN");
  });
});

describe.skipIf(!hasNats)("messages that svcm does not send (needs nats-server)", () => {
  const write = requestSubject({ node: "web-1", kind: "write", id: "env.write", user: "edda" });
  const read = requestSubject({ node: "web-1", kind: "read", id: "env.read", user: "edda" });
  const good = { input: SAVE };

  longTest.each<[string, string, unknown, string]>([
    ["no JSON", read, new TextEncoder().encode("{"), "Invalid payload."],
    ["no text", read, new Uint8Array([0xff, 0xfe, 0]), "Invalid payload."],
    ["an empty message", read, new Uint8Array(), "Invalid payload."],
    ["a list", read, [], "Invalid request."],
    ["an unknown member", read, { input: {}, more: 1 }, "Invalid request."],
    ["an input of another shape", read, { input: { environment: 5 } }, "Invalid request."],
    ["a deep message", read, new TextEncoder().encode(`${"[".repeat(100)}${"]".repeat(100)}`), "Invalid payload."],
    ["65 KiB", read, { input: { environment: "x".repeat(65 * 1024) } }, "Payload too large."],
    ["a change without an id", write, good, "Invalid request."],
    [
      "a change that never ends",
      write,
      { ...good, id: "12345678", notAfter: Date.now() + 86_400_000 },
      "Invalid request.",
    ],
    ["a change after its time", write, { ...good, id: "12345678", notAfter: Date.now() - 1 }, "Invalid request."],
  ])("%s is refused and recorded, and the node keeps running", async (_, subject, message, error) => {
    const fleet = await testFleet();
    await fleet.start("web-1");
    const connection = await rawConnection(fleet, "edda");
    const answer = await send(connection, subject, message);
    expect([answer.ok, answer.error?.error === error || answer.error?.error]).toEqual([false, true]);
    const { records } = await (await fleet.as("adam")).ask("web-1", auditList, { limit: 1 }, MS);
    const action = parseAddress(subject)?.id;
    expect(records).toMatchObject([{ action, actor: "edda", source: "nats", outcome: "refused" }]);
    expect((await send(connection, read, { input: { environment: "dev" } })).ok).toBe(true);
    expect(readFileSync(join(fleet.root("web-1"), ".env.dev"), "utf8")).toContain("SVC_HTTP_FRAMEWORK=express");
  });

  test("a change that arrives twice is carried out once", async () => {
    const fleet = shared;
    const connection = await rawConnection(fleet, "edda");
    const change = { ...good, id: "12345678", notAfter: Date.now() + 60_000 };
    expect((await send(connection, write, change)).ok).toBe(true);
    expect((await send(connection, write, change)).error?.code).toBe("REQUEST_REPEATED");
  });

  test("the table has no operation that returns secrets, and only its subjects are requests", () => {
    expect(parseAddress("svcm.web-1.read.env.read.edda")).toEqual({
      node: "web-1",
      kind: "read",
      id: "env.read",
      user: "edda",
    });
    expect(remoteOperations.map(({ id }) => id)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:token|env\.(?:export|process|source|rewrite)|project)\b/)]),
    );
    for (const subject of [
      "svcm.web-1",
      "svcm.web-1.read.env.read",
      "svcm.web-1.watch.env.read.edda",
      "x.web-1.read.env.read.edda",
    ])
      expect(parseAddress(subject)).toBeUndefined();
  });
});
