/** An action that the description allows is understood by the server; one that the server does not understand, it forbids. */
import { Ajv } from "ajv";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asyncApiDocument } from "../../../src/core/api/asyncapi.ts";
import { pm2 } from "../../support/pm2-daemon.ts";
import { repository, testServer } from "../support.ts";
import { open } from "./support.ts";

/** A PM2 that runs nothing: no action has an effect. */
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

test("actions, both ways", async () => {
  const files = repository();
  const limits = { actionRate: { perSecond: 1e4, burst: 1e4 }, frameRate: { perSecond: 1e4, burst: 1e4 } };
  const env = { PM2_HOME: empty.home, HOME: files.root, PATH: process.env["PATH"] };
  const client = await open(await testServer({ repository: files, env, limits }));
  const { components } = asyncApiDocument() as { components: { messages: Record<string, { payload: object }> } };
  const isDescribed = new Ajv({ strict: false }).compile(components.messages["action"]?.payload ?? {});
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
