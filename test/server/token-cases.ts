/** The rows of the error table that need tokens. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { bearer, createToken } from "../support/tokens.ts";
import { alone, type Case } from "./error-case.ts";
import { post, type TestResponse, type TestServer } from "./support.ts";

const fastify = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const token = { env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token" } };

async function twice(server: TestServer): Promise<TestResponse> {
  const create = () => post(server, { name: "bot", role: "viewer" }, bearer("a-token"), "/api/tokens");
  await create();
  return await create();
}

export const tokenCases: readonly Case[] = [
  {
    what: "role too weak",
    kind: "FORBIDDEN",
    options: alone,
    provoke: async (server) => {
      const viewer = await createToken(server.repository.root, "bot", "viewer");
      return await post(server, fastify, bearer(viewer));
    },
  },
  {
    what: "token of another environment",
    kind: "FORBIDDEN",
    options: alone,
    provoke: async (server) => {
      const editor = await createToken(server.repository.root, "bot", "editor", { environments: ["staging"] });
      return await post(server, fastify, bearer(editor));
    },
  },
  { what: "name of another token", kind: "TOKEN_EXISTS", options: () => token, provoke: twice },
  {
    what: "unknown token",
    kind: "TOKEN_NOT_FOUND",
    options: () => token,
    provoke: (server) => post(server, { name: "other" }, bearer("a-token"), "/api/tokens/revoke"),
  },
  {
    what: "file of tokens not private",
    kind: "TOKENS_FAILED",
    options: () => token,
    provoke: async (server) => {
      await twice(server);
      chmodSync(join(server.repository.root, ".svcm/tokens.json"), 0o644);
      return await twice(server);
    },
  },
];
