import { describe, expect, test } from "vitest";
import { failureBody } from "../../src/core/api/bodies.ts";
import { jsonHeaders } from "../../src/server/response.ts";
import { ask, ENV, post, sharedServer, testServer } from "./support.ts";

describe("a query", () => {
  const unchanged = sharedServer();

  test.each([
    [`${ENV}?environment=dev&environment=dev`, "Invalid environment request."],
    [`${ENV}?environment=dev&%65nvironment=ci`, "Invalid environment request."],
    [`${ENV}?environment=`, "Invalid environment request."],
    [`${ENV}?environment=prod`, "Invalid environment request."],
    [`${ENV}?environment=%zz`, "Invalid environment request."],
    [`${ENV}?environment=constructor`, "Invalid environment request."],
    [`${ENV}?environment=dev%00`, "Invalid environment request."],
    [`${ENV}?enviroment=staging`, "Invalid request."],
    [`${ENV}?environment[]=dev`, "Invalid request."],
    [`${ENV}?keys=SVC_JWT_TOKEN_SECRET_KEY`, "Invalid request."],
    [`${ENV}?__proto__=1`, "Invalid request."],
    [`${ENV}/diff?from=dev&from=ci&to=ci`, "Invalid request."],
    [`${ENV}/diff?from=dev`, "Invalid request."],
    [`${ENV}/diff`, "Invalid request."],
    [`${ENV}/diff?from=dev&to=nowhere`, "Invalid environment request."],
    ["/api/runtime/contract?x=1", "Invalid request."],
    ["/api/runtime/audit?limit=1&limit=1", "Invalid request."],
    ["/healthz?x=1", "Invalid request."],
  ])("%s is answered with 400", async (path, error) => {
    const answer = await ask(await unchanged(), path);
    expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error });
    expect(answer.headers).toMatchObject(jsonHeaders);
    failureBody.parse(answer.json);
  });

  test.each(["0", "1001", "-1", "1.5", "1e2", "0x1", "", "abc", " 1", "99999999999999999999"])(
    "limit=%s is 400 naming the range",
    async (limit) => {
      const answer = await ask(await unchanged(), `/api/runtime/audit?limit=${encodeURIComponent(limit)}`);
      expect(answer.status).toBe(400);
      expect(answer.json).toEqual({ error: "Invalid request.", details: "limit: expected an integer from 1 to 1000." });
    },
  );

  test("a time is a number, an age or a date, and anything else is refused with what is accepted", async () => {
    const server = await unchanged();
    const since = (text: string) => ask(server, `/api/events?since=${encodeURIComponent(text)}`);
    for (const text of ["1700000000000", "10m", "2026-01-31", "2026-01-31T08:00:00Z", "2026-01-31T08:00:00+02:00"])
      expect((await since(text)).status).toBe(200);
    for (const text of ["yesterday", "-1h", "2026-13-40", ""]) {
      const { status, json } = await since(text);
      expect(status).toBe(400);
      expect(json.details).toMatch(
        /^since: .* is not a time\. Accepted: an age such as 30m.*milliseconds since 1970\.$/,
      );
    }
  });

  test("a POST takes the service from the query or the body, not from both", async () => {
    const server = await unchanged();
    const write = (query: string, body: object) =>
      post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" }, ...body }, {}, `${ENV}${query}`);
    const [queried, sent] = [await write("?service=nowhere", {}), await write("", { service: "nowhere" })];
    expect(queried).toMatchObject({ status: sent.status, json: sent.json });
    expect(sent.status).toBeGreaterThanOrEqual(400);
    expect((await write("?service=one", { service: "two" })).json.details).toBe(
      "The parameter service is given more than once. Give it once.",
    );
  });

  test.each([
    ["DEV", "dev"],
    ["%20Development%20", "development"],
    ["test", "test"],
    ["+ci", "ci"],
  ])("environment=%s is %s", async (given, environment) => {
    const answer = await ask(await unchanged(), `${ENV}?environment=${given}`);
    expect(answer.json.environment).toBe(environment);
  });

  test("a POST accepts no environment in its query, because a misplaced one must not write to another file", async () => {
    const server = await unchanged();
    const before = server.text();
    const answer = await post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } }, {}, `${ENV}?environment=staging`);
    expect(answer.status).toBe(400);
    expect(server.text()).toBe(before);
  });

  test("without an environment NODE_ENV is used, and an unsupported environment is refused", async () => {
    const staging = await testServer({ env: { NODE_ENV: "staging" } });
    expect((await ask(staging, ENV)).json).toMatchObject({ environment: "staging", fileName: ".env.staging" });
    const production = await testServer({ env: { NODE_ENV: "production" } });
    const answer = await ask(production, ENV);
    expect(answer.json).toEqual({
      error: "Invalid environment request.",
      details: 'Unsupported environment "production" (from NODE_ENV). Accepted: dev, development, staging, ci, test.',
    });
  });
});
