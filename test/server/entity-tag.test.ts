/** An `ETag` names the content of a file that holds secrets, also for a reader who may not see them. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createToken, bearer } from "../support/tokens.ts";
import { ask, ENV, post, repository, testServer, type TestServer } from "./support.ts";

const DOCUMENT = "/api/declarations";
/** Four digits: a reader of a plain digest would find them at once. */
const text = (pin: string): string => `SVC_HTTP_FRAMEWORK=express\nSVC_JWT_TOKEN_SECRET_KEY=${pin}\n`;

async function tagOf(server: TestServer, path = ENV): Promise<string> {
  const { etag = "" } = (await ask(server, path)).headers;
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  return etag;
}

function plainDigests(bytes: string): string[] {
  return ["sha256", "sha512", "sha1", "md5"].flatMap((name) =>
    (["base64url", "hex"] as const).map((form) => createHash(name).update(bytes).digest(form)),
  );
}

describe("an entity tag", () => {
  test("of an env file and of the document is not a digest with which a viewer could try out a secret", async () => {
    const files = repository({ ".env.dev": text("4711") });
    const document = "version: service-management.v1\n";
    writeFileSync(join(files.root, "deployments.yaml"), document);
    const viewer = bearer(await createToken(files.root, "vera", "viewer"));
    const server = await testServer({ repository: files });
    for (const [path, bytes] of [
      [ENV, text("4711")],
      [DOCUMENT, document],
    ] as const) {
      const { headers } = await ask(server, path, { headers: viewer });
      for (const digest of plainDigests(bytes)) expect(headers.etag).not.toContain(digest.slice(0, 20));
    }
  });

  test("differs between two repositories with the same file, and its key is the owner's", async () => {
    const both = [repository({ ".env.dev": text("4711") }), repository({ ".env.dev": text("4711") })];
    const tags: string[] = [];
    for (const files of both) tags.push(await tagOf(await testServer({ repository: files })));
    expect(new Set(tags).size).toBe(2);
    for (const { root } of both) {
      const key = join(root, ".svcm/key");
      expect([statSync(key).mode & 0o777, readFileSync(key).length]).toEqual([0o600, 32]);
    }
  });

  test("changes with a secret, and outlives a restart of the server", async () => {
    const files = repository({ ".env.dev": text("4711") });
    const first = await testServer({ repository: files });
    const before = await tagOf(first);
    writeFileSync(files.envFile("dev"), text("4712"));
    const after = await tagOf(first);
    expect(after).not.toBe(before);
    await first.close();
    const second = await testServer({ repository: files });
    const change = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
    expect((await post(second, change, { "if-match": before })).status).toBe(412);
    expect((await post(second, change, { "if-match": after })).status).toBe(200);
  });

  test.each([
    ["a folder", (key: string) => mkdirSync(key)],
    ["too short", (key: string) => writeFileSync(key, "short")],
  ])("guards writes also where the key cannot be kept: it is %s", async (_what, spoil) => {
    const files = repository({ ".env.dev": text("4711") });
    mkdirSync(join(files.root, ".svcm"));
    spoil(join(files.root, ".svcm/key"));
    const server = await testServer({ repository: files });
    const tag = await tagOf(server);
    expect(tag).not.toContain(plainDigests(text("4711"))[0]);
    const change = (name: string) => post(server, { values: { SVC_HTTP_FRAMEWORK: name } }, { "if-match": tag });
    expect([(await change("fastify")).status, (await change("restify")).status]).toEqual([200, 412]);
    rmSync(join(files.root, ".svcm/key"), { recursive: true });
    expect((await change("restify")).status).toBe(412);
  });
});
