import { Ajv } from "ajv";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pm2 } from "../../support/pm2-daemon.ts";
import { ask, repository, testServer } from "../support.ts";
import { open } from "./support.ts";
import { longTest } from "../../support/runs.ts";

/** A PM2 without processes, so no action has an effect. */
const empty = pm2();
beforeAll(() => empty.startDaemon());
afterAll(() => empty.end());

const name = fc.constantFrom("api", "all", "ü", "x".repeat(200));
const frame = fc.record(
  {
    type: fc.constant("action"),
    action: fc.constantFrom("start", "stop", "restart", "restart", "destroy"),
    scope: fc.constantFrom("process", "namespace", "ecosystem", "machine"),
    name: fc.oneof({ weight: 6, arbitrary: name }, fc.constantFrom<unknown>("", "x".repeat(201), 1)),
    pmId: fc.oneof({ weight: 4, arbitrary: fc.nat(9) }, fc.constantFrom<unknown>(-1, 1.5, "1")),
    namespace: fc.oneof({ weight: 6, arbitrary: fc.constant("backend") }, fc.constant("")),
    more: fc.constant(1),
  },
  { requiredKeys: ["type", "action"] },
);

async function described(server: { readonly port: number }, type: string) {
  const { json } = await ask(server, "/api/asyncapi.json");
  return new Ajv({ strict: false }).compile(json.components.messages[type].payload);
}

test("the server accepts exactly the actions that the AsyncAPI document allows", async () => {
  const files = repository();
  const limits = { actionRate: { perSecond: 1e4, burst: 1e4 }, frameRate: { perSecond: 1e4, burst: 1e4 } };
  const env = { PM2_HOME: empty.home, HOME: files.root, PATH: process.env["PATH"] };
  const server = await testServer({ repository: files, env, limits });
  const client = await open(server);
  const isDescribed = await described(server, "action");
  const seen = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(frame, async (sent) => {
      client.send(sent);
      const { code } = await client.next();
      seen.add(code);
      expect({ sent, isUnderstood: code === "PROCESS_NOT_FOUND" }).toEqual({ sent, isUnderstood: isDescribed(sent) });
    }),
    { numRuns: 300 },
  );
  expect(seen).toEqual(new Set(["INVALID_ACTION", "INVALID_REQUEST", "PROCESS_NOT_FOUND"]));
});

longTest("a subscription accepts exactly the environments that the AsyncAPI document allows", async () => {
  const files = repository();
  const server = await testServer({ repository: files, env: { PM2_HOME: empty.home, HOME: files.root } });
  const client = await open(server);
  const isDescribed = await described(server, "subscribe");
  for (const environment of ["dev", " Development\t", "PROD", "staging", "qa", "", " ", "dev prod", "devx", "\u212A"]) {
    const sent = { type: "subscribe", environment, intervalMs: 2000 };
    client.send(sent);
    let answer = await client.next();
    while (answer.type !== "subscribed" && answer.code !== "INVALID_SUBSCRIPTION") answer = await client.next();
    expect({ environment, isAccepted: answer.type === "subscribed" }).toEqual({
      environment,
      isAccepted: isDescribed(sent),
    });
  }
});
