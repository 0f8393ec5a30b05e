import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { parseInput } from "../../src/core/access/parse.ts";
import { failureBody } from "../../src/core/api/bodies.ts";
import type { SvcmError } from "../../src/core/index.ts";
import { routes } from "../../src/server/routes.ts";
import { ask, ENV, post, rawConnection, sharedServer, testServer } from "./support.ts";

const fastify = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const unchanged = sharedServer();

function messagesOf(schema: z.ZodMiniType<object>, input: object): string[] {
  try {
    parseInput(schema, input, "INVALID_REQUEST");
    return [];
  } catch (error) {
    return (error as SvcmError).body.issues?.map(({ message }) => message) ?? [];
  }
}

describe("a bad body", () => {
  test.each([
    ["an array", []],
    ["a string", '"x"'],
    ["null", "null"],
    ["no values", {}],
    ["values that are not an object", { values: [] }],
    ["values that are null", { values: null }],
    ["an environment that is not a string", { environment: 1, values: {} }],
    ["an unknown member", { values: {}, enviroment: "ci" }],
    ["what only the core may say", { values: {}, foreignKeys: "refuse" }],
    ["the other one", { values: {}, ifMatch: "*" }],
    ["__proto__ beside values", '{"values":{},"__proto__":{"environment":"ci"}}'],
    ["nothing", ""],
    ["no JSON", "{"],
    ["a member twice", '{"values":{"SVC_REALTIME_API":"yes"},"values":{"SVC_REALTIME_API":"no"}}'],
    ["a key twice", '{"values":{"SVC_REALTIME_API":"yes","SVC_REALTIME_API":"no"}}'],
    ["deep nesting", `{"values":${'{"a":'.repeat(8)}1${"}".repeat(8)}}`],
    ["bytes that are not text", Uint8Array.from([0x7b, 0xff, 0x7d])],
  ])("%s", async (_, body) => {
    const server = await unchanged();
    const before = server.text();
    const answer = await post(server, body);
    expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: "Invalid payload." });
    failureBody.parse(answer.json);
    expect(server.text()).toBe(before);
  });

  test("an unknown member is refused with the accepted ones, on every route", async () => {
    const { json } = await post(await unchanged(), { comand: "x" }, {}, "/api/runtime/process/run");
    expect(json.issues[0].message).toBe('the input: unknown member "comand"; accepted: name, namespace, timeoutMs');
    const bodies = routes.flatMap((route) => ("operation" in route && route.body ? [route.body] : []));
    const refusals = bodies.map((body) => [body, messagesOf(body, { zzz: 1 })] as const);
    // Some documents accept any member.
    const strict = refusals.filter(([, messages]) => messages.join().includes("zzz"));
    expect(strict.length).toBeGreaterThan(15);
    for (const [body, messages] of strict) {
      const members = "shape" in body ? Object.keys(body.shape as object) : [];
      expect(messages).toContain(`the input: unknown member "zzz"; accepted: ${members.join(", ")}`);
    }
  });

  test("an unknown member inside another one is refused with those that it accepts", () => {
    const inner = z.strictObject({
      list: z.optional(z.array(z.strictObject({ name: z.string() }))),
      by: z.record(z.string(), z.strictObject({})),
    });
    expect(messagesOf(inner, { list: [{ name: "a", x: 1 }], by: { a: { y: 1, z: 2 } } })).toEqual([
      'by.a: unknown members "y", "z"; accepted: no member',
      'list.0: unknown member "x"; accepted: name',
    ]);
  });

  test("a missing body is refused", async () => {
    const answer = await ask(await unchanged(), ENV, { method: "POST" });
    expect(answer.json).toEqual({ error: "Invalid payload.", details: "The body is empty. Accepted: a JSON object." });
  });

  test.each(["dev,ci", "prod", "", "../dev", "__proto__", "dev\u0000"])(
    "environment %j is refused like in a read",
    async (environment) => {
      const answer = await post(await unchanged(), { environment, ...fastify });
      expect({ status: answer.status, error: answer.json.error }).toEqual({
        status: 400,
        error: "Invalid environment request.",
      });
      expect(answer.json.details).toContain("Accepted: dev, development, staging, ci, test.");
    },
  );

  test("a connection can be used after a refused body", async () => {
    const server = await testServer();
    const { socket, ended } = rawConnection(server);
    const request = (body: string, more = ""): string =>
      `POST ${ENV} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
    socket.write(request("{"));
    socket.write(request('{"values":{}}', "Connection: close\r\n"));
    expect([...(await ended).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["400", "200"]);
  });
});

describe("the media type", () => {
  test.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    'application/json ; charset = "UTF-8"',
  ])("%s is accepted", async (type) => {
    expect((await post(await testServer(), fastify, { "content-type": type })).status).toBe(200);
  });

  test.each([
    "text/plain",
    "text/plain; x=application/json",
    "application/json, text/plain",
    "application/json; charset=latin1",
    "application/json; charset=utf-8; x=1",
    "application/json; boundary=x",
    "application/jsonp",
    "application/problem+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
    "json",
    "",
    "*/*",
    "application/json;",
  ])("the media type %j is answered with 415", async (type) => {
    const server = await unchanged();
    const before = server.text();
    const answer = await post(server, fastify, { "content-type": type });
    expect({ status: answer.status, error: answer.json.error }).toEqual({
      status: 415,
      error: "Unsupported media type.",
    });
    expect(server.text()).toBe(before);
  });

  test("a body without a media type is answered with 415", async () => {
    const answer = await ask(await unchanged(), ENV, { method: "POST", body: JSON.stringify(fastify) });
    expect(answer.status).toBe(415);
  });
});

describe("the size", () => {
  const bodyOf = (bytes: number): string => {
    const body = JSON.stringify({ values: { PADDING: "" } });
    return body.replace('""', `"${"x".repeat(bytes - body.length)}"`);
  };

  test("a body of 64 KiB is accepted, one byte more is answered with 413", async () => {
    const server = await testServer();
    expect((await post(server, bodyOf(65_536))).status).toBe(200);
    const answer = await post(server, bodyOf(65_537));
    expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 413, error: "Payload too large." });
  });

  test("a chunked body over the limit is answered with 413", async () => {
    const server = await testServer();
    const chunked = { "transfer-encoding": "chunked" };
    expect((await post(server, bodyOf(65_536), chunked)).status).toBe(200);
    expect((await post(server, bodyOf(65_537), chunked)).status).toBe(413);
  });
});
