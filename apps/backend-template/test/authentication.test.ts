import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import { firstOrAll, longTest, sampleOrAll } from "../../../test/support/runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { basic, bearer, CANARIES, PASSWORD, SECRET, withAlice } from "./accounts.ts";
import { runToEnd, startEntrypoint } from "./entrypoint.ts";
import { hasRedis, startRedis } from "./servers.ts";

const spec = packagedRuntimeContract.keys["SVC_HTTP_FRAMEWORK"];
const frameworks = spec?.kind === "enum" ? spec.values : [];
const good = basic("alice", PASSWORD);
const unauthorized = { status: 401, body: '{"error":"Unauthorized."}' };
const locked = { status: 429, body: '{"error":"Too many login attempts."}' };

async function ask(url: string, authorization?: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  if (authorization !== undefined) headers.set("authorization", authorization);
  const response = await fetch(url, { ...init, headers });
  return { status: response.status, body: await response.text(), headers: response.headers };
}

describe.each(sampleOrAll(frameworks, frameworks.slice(0, 2)))("%s", (framework) => {
  longTest("asks for credentials on every route, and says when a lockout ends", async () => {
    await using backend = await startEntrypoint("rest", withAlice({ SVC_HTTP_FRAMEWORK: framework }));
    const at = (path: string): string => backend.url + path;
    const post = { method: "POST", body: '{"name":"mine"}', headers: { "content-type": "application/json" } };

    for (const path of ["/items", "/items/some-id", "/counters"]) {
      const refused = await ask(at(path));
      expect(refused).toMatchObject(unauthorized);
      expect(refused.headers.get("www-authenticate")).toBe(
        'Basic realm="backend", charset="UTF-8", Bearer realm="backend"',
      );
    }
    expect(await ask(at("/items"), undefined, post)).toMatchObject(unauthorized);
    expect(await ask(at("/items"), undefined, { method: "HEAD" })).toMatchObject({ status: 401, body: "" });

    const added = await ask(at("/items"), good, post);
    expect(added).toMatchObject({ status: 201, body: expect.stringContaining("mine") as string });
    const { id } = JSON.parse(added.body) as { id: string };
    const token = await bearer();
    expect(await ask(at(`/items/${id}`), token)).toMatchObject({ status: 200, body: added.body });
    expect(await ask(at(`/items/${id}`), token, { method: "DELETE" })).toMatchObject({ status: 204 });

    for (const user of ["alice", "nobody"]) {
      for (let attempt = 0; attempt < 3; attempt++) {
        expect(await ask(at("/items"), basic(user, `wrong ${attempt}`))).toMatchObject(unauthorized);
      }
      const refused = await ask(at("/items"), basic(user, PASSWORD));
      expect(refused).toMatchObject(locked);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(890);
    }
    // A token does not count as a login.
    expect(await ask(at("/items"), token)).toMatchObject({ status: 200 });
    expect(backend.output()).toMatch(/^REST .*\n$/);
  });
});

describe("open routes", () => {
  test("without credentials, only /health and, on this machine, the async contexts are answered", async () => {
    await using backend = await startEntrypoint("rest", withAlice());
    const proxied = { headers: { "x-forwarded-for": "192.0.2.1" } };
    expect(await ask(`${backend.url}/health`, undefined, proxied)).toMatchObject({ status: 200 });
    expect(await ask(`${backend.url}/async-context-metrics`)).toMatchObject({ status: 200 });
    expect(await ask(`${backend.url}/async-context-metrics`, undefined, proxied)).toMatchObject(unauthorized);
    expect(await ask(`${backend.url}/async-context-metrics`, good, proxied)).toMatchObject({ status: 200 });
    expect(await ask(`${backend.url}/nothing`)).toMatchObject({ status: 404 });
  });

  longTest("a page of another origin cannot use its user's credentials", async () => {
    const origin = "https://console.example.com";
    await using backend = await startEntrypoint("rest", withAlice({ SVC_CORS_ALLOWED_ORIGINS: origin }));
    const from = (page: string) => ({ method: "POST", body: '{"name":"x"}', headers: { origin: page } });
    expect(await ask(`${backend.url}/items`, good, from("https://example.com"))).toMatchObject({ status: 403 });
    for (const page of [origin, backend.url]) {
      expect(await ask(`${backend.url}/items`, good, from(page))).toMatchObject({ status: 201 });
    }
    const preflight = { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } };
    expect(await ask(`${backend.url}/items`, undefined, preflight)).toMatchObject({ status: 204 });
  });

  longTest("SVC_ENABLE_BASIC_AUTH=no opens every route", async () => {
    await using backend = await startEntrypoint("rest", withAlice({ SVC_ENABLE_BASIC_AUTH: "no" }));
    expect(await ask(`${backend.url}/items`)).toMatchObject({ status: 200 });
  });
});

describe("credentials", () => {
  longTest(
    "a malformed header, or one that is neither Basic nor Bearer, is refused and does not count as an attempt",
    async () => {
      await using backend = await startEntrypoint("rest", withAlice());
      const encoded = Buffer.from(`alice:${PASSWORD}`).toString("base64");
      const broken = ["", "Basic", "Basic !!!", `Digest ${encoded}`, encoded, "Basic Og==", "Bearer", "Bearer a.b.c"];
      for (const authorization of [...broken, ...broken]) {
        expect(await ask(`${backend.url}/items`, authorization)).toMatchObject(unauthorized);
      }
      expect(await ask(`${backend.url}/items`, `basic ${encoded}`)).toMatchObject({ status: 200 });
    },
  );

  longTest("a token is checked for its issuer, audience, expiry, subject, secret and algorithm", async () => {
    await using backend = await startEntrypoint("rest", withAlice());
    const past = Math.floor(Date.now() / 1000) - 60;
    const unsigned = [{ alg: "none" }, { iss: "svcm-backend", aud: "svcm-clients", sub: "alice", exp: past + 600 }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const bad = [
      await bearer({ iss: "another" }),
      await bearer({ aud: "another" }),
      await bearer({ exp: past }),
      await bearer({ exp: undefined }),
      await bearer({ sub: undefined }),
      await bearer({}, "another secret of more than thirty-two bytes"),
      await bearer({}, SECRET.repeat(2), "HS512"),
      `Bearer ${unsigned}.`,
    ];
    for (const token of bad) expect(await ask(`${backend.url}/items`, token)).toMatchObject(unauthorized);
    expect(await ask(`${backend.url}/items`, await bearer())).toMatchObject({ status: 200 });
  });

  longTest("without SVC_JWT_TOKEN_SECRET_KEY no token is accepted", async () => {
    await using backend = await startEntrypoint("rest", withAlice({ SVC_JWT_TOKEN_SECRET_KEY: "" }));
    expect(await ask(`${backend.url}/items`, await bearer())).toMatchObject(unauthorized);
  });

  longTest("a line that the command prints is a valid account", async () => {
    const template = join(import.meta.dirname, "..");
    const user = (name: string, password: string) =>
      spawnSync("npm", ["run", "--silent", "user", "--", name], {
        cwd: template,
        input: `${password}\n`,
        encoding: "utf8",
      });
    expect(user("bob", "short")).toMatchObject({ status: 1, stdout: "" });
    expect(user("b:b", PASSWORD)).toMatchObject({ status: 2, stdout: "" });
    const file = join(temporaryFolder(), "users");
    writeFileSync(file, user("bob", PASSWORD).stdout);
    await using backend = await startEntrypoint("rest", withAlice({ SVC_AUTH_USERS_FILE: file }));
    expect(await ask(`${backend.url}/items`, basic("bob", PASSWORD))).toMatchObject({ status: 200 });
    expect(await ask(`${backend.url}/items`, good)).toMatchObject(unauthorized);
  });
});

describe("the limit", () => {
  longTest("concurrent attempts get no more tries than attempts in sequence", async () => {
    await using backend = await startEntrypoint("rest", withAlice());
    const tries = Array.from({ length: 20 }, (_, index) => ask(`${backend.url}/items`, basic("alice", `no ${index}`)));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(17);
  });

  longTest("concurrent requests of one client count as one login", async () => {
    await using backend = await startEntrypoint("rest", withAlice());
    const requests = Array.from({ length: 20 }, () => ask(`${backend.url}/items`, good));
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  longTest("a successful login resets the count of failures, and a lockout expires", async () => {
    const short = { SVC_AUTH_LOCKOUT_SECONDS: "1" };
    await using backend = await startEntrypoint("rest", withAlice(short));
    const wrong = () => ask(`${backend.url}/items`, basic("alice", "wrong"));
    for (let attempt = 0; attempt < 2; attempt++) expect(await wrong()).toMatchObject(unauthorized);
    expect(await ask(`${backend.url}/items`, good)).toMatchObject({ status: 200 });
    for (let attempt = 0; attempt < 3; attempt++) expect(await wrong()).toMatchObject(unauthorized);
    const refused = await wrong();
    expect(refused).toMatchObject(locked);
    expect(refused.headers.get("retry-after")).toBe("1");
    while ((await ask(`${backend.url}/items`, good)).status === 429);
    expect(await ask(`${backend.url}/items`, good)).toMatchObject({ status: 200 });
  });

  longTest.skipIf(!hasRedis)(
    "is shared over Redis, and applies while Redis is unavailable (needs redis-server)",
    async () => {
      await using redis = await startRedis();
      const env = withAlice({ SVC_KEYVALUESTORAGE_DRIVER: "redis", SVC_REDIS_PORT: `${redis.port}` });
      await using first = await startEntrypoint("rest", env);
      await using second = await startEntrypoint("rest", env);
      for (const { url } of [first, second, first]) {
        expect(await ask(`${url}/items`, basic("alice", "wrong"))).toMatchObject(unauthorized);
      }
      for (const { url } of [first, second]) expect(await ask(`${url}/items`, good)).toMatchObject(locked);
      await redis.stop();
      for (let attempt = 0; attempt < 3; attempt++) {
        expect(await ask(`${second.url}/items`, basic("bob", "wrong"))).toMatchObject(unauthorized);
      }
      expect(await ask(`${second.url}/items`, basic("bob", "wrong"))).toMatchObject(locked);
    },
  );
});

describe("a start that could not authenticate is refused", () => {
  const line = "alice:$scrypt$ln=10,r=1,p=1$MTIzNDU2Nzg5MDEyMzQ1Ng$MTIzNDU2Nzg5MDEyMzQ1NjEyMzQ1Njc4OTAxMjM0NTY";
  const files = [
    [
      "has no account",
      "# nothing\n\n",
      /users has no account; `npm run --silent user -- <name> >> <file>` adds an account/,
    ],
    [
      "has a line that is not an account",
      `${line}\nbob:canary\n`,
      /line 2 of .*users is not an account; accepted: name:\$scrypt\$/,
    ],
    ["has an excessive cost", line.replace("ln=10", "ln=31"), /line 1 of .* is not an account/],
    ["names a user twice", `${line}\n${line}\n`, /line 2 of .*users has a name that another line has/],
  ] as const;

  longTest.each(files)("a file that %s", async (_, text, words) => {
    const file = join(temporaryFolder(), "users");
    writeFileSync(file, text);
    const { code, stdout, stderr } = await runToEnd("rest", withAlice({ SVC_AUTH_USERS_FILE: file }));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/canary|MTIz/);
  });

  const settings = [
    [{ SVC_AUTH_USERS_FILE: "" }, "SVC_ENABLE_BASIC_AUTH=yes needs SVC_AUTH_USERS_FILE, a file of accounts; `npm run"],
    [{ SVC_AUTH_USERS_FILE: "/none/users" }, "/none/users cannot be read (ENOENT)"],
    [{ SVC_ENABLE_BASIC_AUTH: "true" }, 'SVC_ENABLE_BASIC_AUTH: unsupported value "true"; accepted: yes, no'],
    [{ SVC_JWT_TOKEN_SECRET_KEY: "canary" }, "SVC_JWT_TOKEN_SECRET_KEY is too short; accepted: at least 32 bytes"],
    [{ SVC_JWT_ISSUER: "" }, "SVC_JWT_TOKEN_SECRET_KEY needs SVC_JWT_ISSUER and SVC_JWT_AUDIENCE"],
    [{ SVC_AUTH_MAX_LOGIN_ATTEMPTS: "0" }, 'SVC_AUTH_MAX_LOGIN_ATTEMPTS: "0" is not supported; accepted: an integer'],
    [{ SVC_AUTH_LOGIN_WINDOW_SECONDS: "1h" }, 'SVC_AUTH_LOGIN_WINDOW_SECONDS: "1h" is not supported'],
    [{ SVC_AUTH_LOCKOUT_SECONDS: "604801" }, "accepted: an integer from 1 to 604800"],
  ] as const;

  longTest.each(firstOrAll(["rest", "grpc", "websocket"] as const))("a setting of the %s entrypoint", async (kind) => {
    for (const [env, words] of kind === "rest" ? sampleOrAll(settings, settings.slice(0, 3)) : firstOrAll(settings)) {
      const protocol = kind === "rest" ? "websocket" : kind;
      const realtime = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol };
      const { code, stdout, stderr } = await runToEnd(kind, withAlice({ ...realtime, ...env }));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(words);
      expect(stderr).not.toMatch(CANARIES);
    }
  });
});
