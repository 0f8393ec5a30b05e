import { describe, expect, test } from "vitest";
import { ask, ENV, repository, testServer } from "./support.ts";

const ENV_FILES = "dev, development, staging, ci, test";
const ECOSYSTEMS = "dev, development, staging, production, prod, ci, test";

const refusedAs = (given: string, accepted: string) => ({
  refusal: {
    error: "Invalid environment request.",
    details: `Unsupported environment "${given}" (from NODE_ENV). Accepted: ${accepted}.`,
  },
});

describe("the environment of a request that names none", () => {
  test.each([
    [undefined, { environment: "dev", name: "dev" }, { environment: "dev", name: "dev" }],
    [" ", { environment: "dev", name: "dev" }, { environment: "dev", name: "dev" }],
    [" Staging ", { environment: "staging", name: "staging" }, { environment: "staging", name: "staging" }],
    ["development", { environment: "development", name: "dev" }, { environment: "development", name: "dev" }],
    ["test", { environment: "test", name: "ci" }, { environment: "test", name: "ci" }],
    ["production", refusedAs("production", ENV_FILES), { environment: "production", name: "production" }],
    ["prod", refusedAs("prod", ENV_FILES), { environment: "prod", name: "production" }],
    ["moon", refusedAs("moon", ENV_FILES), refusedAs("moon", ECOSYSTEMS)],
  ])("with NODE_ENV %o, as the API resolves or refuses it", async (nodeEnv, envFile, ecosystem) => {
    const server = await testServer({ env: { NODE_ENV: nodeEnv } });
    const { defaultEnvironment } = (await ask(server, "/api/runtime/contract")).json;
    expect(defaultEnvironment).toEqual({ envFile, ecosystem });
    const [read, shown] = await Promise.all([ask(server, ENV), ask(server, "/api/runtime/pm2-ecosystem")]);
    expect(read.json).toMatchObject("refusal" in envFile ? envFile.refusal : { environment: envFile.environment });
    expect(shown.json).toMatchObject(
      "refusal" in ecosystem ? ecosystem.refusal : { environment: ecosystem.environment },
    );
  });
});

describe("the identity of a server", () => {
  const identityOf = async (options: Parameters<typeof testServer>[0]): Promise<string> => {
    const { status, json } = await ask(await testServer(options), "/healthz");
    expect([status, json.status]).toEqual([200, "ok"]);
    return json.server;
  };

  test("stays the same across restarts and ports, and differs for another repository or machine", async () => {
    const files = repository();
    const first = await identityOf({ repository: files });
    expect(first).toMatch(/^[\w-]{22}$/);
    expect(await identityOf({ repository: files, version: "9.9.9" })).toBe(first);
    expect(await identityOf({ repository: repository() })).not.toBe(first);
    const elsewhere = await identityOf({
      repository: files,
      world: (ports) => ({ ...ports, host: { ...ports.host, machineId: () => Promise.resolve("f".repeat(32)) } }),
    });
    expect(elsewhere).toMatch(/^[\w-]{22}$/);
    expect(elsewhere).not.toBe(first);
  });

  test("is not the machine's identifier", async () => {
    const machineId = "0123456789abcdef0123456789abcdef";
    const server = await testServer({
      world: (ports) => ({ ...ports, host: { ...ports.host, machineId: () => Promise.resolve(machineId) } }),
    });
    expect((await ask(server, "/healthz")).text).not.toContain(machineId.slice(0, 8));
  });
});
