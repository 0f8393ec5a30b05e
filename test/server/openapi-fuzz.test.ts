/** The server accepts exactly the requests that the OpenAPI document allows. */
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ask, ENV, post, testServer } from "./support.ts";
import { longTest } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const RUNS = { numRuns: 150 };
const ajv = new Ajv({ strict: false });

async function described() {
  const server = await testServer();
  const { json } = await ask(server, "/api/openapi.json");
  return { server, paths: json.paths };
}

/** Names of environments, and similar texts. */
const environment = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("", " ", "\t", "\u00a0", "\ufeff", "\u200b"),
      fc.constantFrom("dev", "Development", "STAGING", "ci", "tESt", "prod", "production", "devel", "d ev", "\u212A"),
      fc.constantFrom("", " ", "\n", "x"),
    )
    .map((parts) => parts.join("")),
  fc.string({ maxLength: 8, unit: anyCharacter }),
);

const port = fc.oneof(fc.integer({ min: 0, max: 99_999 }).map(String), fc.constant(""), fc.constant("x"));
const redisUrl = fc
  .record({
    scheme: fc.constantFrom("redis", "rediss", "http", "REDIS"),
    user: fc.constantFrom("", "", "", "u:p@", "@"),
    host: fc.constantFrom(
      "h",
      "10.0.0.5",
      "[::1]",
      "[fe80::1]",
      "[1:2:3:4:5:6:7:8]",
      "[1::2::3]",
      "a_b",
      "h-",
      "",
      "a b",
      "ü",
      "1.2.3",
    ),
    port,
    path: fc.constantFrom("", "/", "/0", "/a b", "/'`", "?protocol=3", "?password=x", "?KEY=x", "#a", "/%zz", "\\"),
  })
  .map((url) => `${url.scheme}://${url.user}${url.host}${url.port === "" ? "" : `:${url.port}`}${url.path}`);

const value = fc.oneof(
  fc.constantFrom(
    "express",
    "fastify",
    "yes",
    "no",
    "MS SQL",
    "Mongo",
    "inmemory",
    "cluster",
    "",
    " express",
    "EXPRESS",
  ),
  redisUrl,
  fc.string({ maxLength: 12, unit: anyCharacter }),
  fc.integer(),
  fc.constant(null),
);

function bodies(keys: readonly string[]) {
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...keys) },
    fc.constantFrom("SVC_REDIS_HOST", "OTHER", ""),
  );
  const body = fc.record(
    {
      environment: fc.oneof(fc.constant("dev"), environment, fc.constant(1)),
      values: fc.dictionary(key, value, { maxKeys: 3 }),
    },
    { requiredKeys: ["values"] },
  );
  return fc.oneof(
    { weight: 8, arbitrary: body },
    fc.constantFrom<unknown>({}, [], null, { values: [] }, { values: {}, more: 1 }),
  );
}

test("bodies of a write", async () => {
  const { server, paths } = await described();
  const { schema } = paths[ENV].post.requestBody.content["application/json"];
  const isDescribed = ajv.compile(schema);
  const taken = { described: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(bodies(Object.keys(schema.properties.values.properties)), async (body) => {
      const isValid = isDescribed(body);
      const { status, text } = await post(server, body);
      taken[isValid ? "described" : "refused"] += 1;
      if (isValid) expect({ status, text }).toMatchObject({ status: 200 });
    }),
    RUNS,
  );
  expect(Math.min(taken.described, taken.refused)).toBeGreaterThan(10);
});

longTest("every Redis URL that the document allows is accepted", async () => {
  const { server, paths } = await described();
  const { SVC_WEBSOCKET_REDIS_URL: schema } =
    paths[ENV].post.requestBody.content["application/json"].schema.properties.values.properties;
  const isDescribed = ajv.compile(schema);
  expect(isDescribed("rediss://redis.internal:6380/0?protocol=3")).toBe(true);
  const made = fc.oneof(redisUrl, fc.stringMatching(new RegExp(schema.pattern.replace(/\(\?!.*?=\)/, ""))));
  await fc.assert(
    fc.asyncProperty(made, async (url) => {
      if (!isDescribed(url)) return;
      const { status, text } = await post(server, { values: { SVC_WEBSOCKET_REDIS_URL: url } });
      expect({ url, status, text }).toMatchObject({ status: 200 });
    }),
    RUNS,
  );
});

longTest.each(["/api/runtime/env", "/api/runtime/pm2-ecosystem"])("the environment of %s, both ways", async (path) => {
  const { server, paths } = await described();
  const { schema } = paths[path].get.parameters.find(({ name }: { name: string }) => name === "environment");
  const isDescribed = ajv.compile(schema);
  await fc.assert(
    fc.asyncProperty(environment, async (name) => {
      fc.pre(name.isWellFormed());
      const { status } = await ask(server, `${path}?environment=${encodeURIComponent(name)}`);
      expect({ name, isTaken: status === 200 }).toEqual({ name, isTaken: isDescribed(name) });
    }),
    RUNS,
  );
});
