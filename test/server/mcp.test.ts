/** `POST /mcp`, asked by the SDK's own client, and by programs that do not behave. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openMcp } from "../../src/mcp/index.ts";
import type { InputOf } from "../../src/core/api/inputs.ts";
import { roles, type Role } from "../../src/core/api/rights.ts";
import { idIn, overHttp } from "../support/mcp-client.ts";
import { createToken } from "../support/tokens.ts";
import { repository, testServer, type ServerOptions } from "./support.ts";
import { longTest } from "../support/runs.ts";

const WRITE = { kind: "env.write", environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const READ_TOOLS = 17;
const DOCS = join(import.meta.dirname, "../../docs");

const served = (options: ServerOptions = {}) =>
  testServer({
    ...options,
    openMcp: (ports, log, askNode) => Promise.resolve(openMcp({ ports, version: "1.2.3", log, docs: DOCS, askNode })),
  });

interface Owner extends Partial<InputOf<"token.create">> {
  readonly name: string;
  readonly role: Role;
}

async function withTokens(...owners: readonly Owner[]) {
  const files = repository();
  const tokens: string[] = [];
  for (const { name, role, ...more } of owners) tokens.push(await createToken(files.root, name, role, more));
  return { files, tokens };
}

const callsOf = (root: string): Record<string, unknown>[] =>
  readFileSync(join(root, ".svcm/calls.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.each(["2026-07-28", "2025-11-25"])("protocol %s", (version) => {
  const options = { versionNegotiation: { mode: version === "2026-07-28" ? ("auto" as const) : ("legacy" as const) } };

  test("a program reads, and every call is recorded with the token's name", async () => {
    const { files, tokens } = await withTokens({ name: "robot", role: "operator" });
    const { url } = await served({ repository: files });
    const program = await overHttp(url, tokens[0], options);
    expect(await program.tools()).toHaveLength(READ_TOOLS + 1);
    const answer = await program.call("env_read", { environment: "dev" });
    expect([answer.isError, answer.words]).toEqual([
      false,
      expect.stringMatching(/^env_read at .+Z\. Nothing follows\.$/),
    ]);
    expect(answer.data).toContain("SVC_HTTP_FRAMEWORK");
    expect((await program.call("env_read", { environment: 7 })).words).toContain("INVALID_REQUEST");
    expect(callsOf(files.root)).toMatchObject([
      { action: "mcp.call", target: "env_read", actor: "robot", source: "mcp", outcome: "succeeded" },
      { action: "mcp.call", target: "env_read", actor: "robot", outcome: "refused", code: "INVALID_REQUEST" },
    ]);
  });
});

test("a program lets the doctor look at the repository", async () => {
  const { files, tokens } = await withTokens({ name: "robot", role: "viewer" });
  const { url } = await served({ repository: files });
  expect(await (await overHttp(url, tokens[0])).call("doctor", {})).toMatchObject({ isError: false });
});

test("a program reads the pages of this version and the contract in parts, no other file, and each reading is recorded", async () => {
  const { files, tokens } = await withTokens({ name: "robot", role: "viewer" });
  const { url } = await served({ repository: files });
  const { client } = await overHttp(url, tokens[0]);
  const textOf = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents;
    return content !== undefined && "text" in content ? content.text : "";
  };
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toEqual(expect.arrayContaining(["svcm://contract", "svcm://docs/how-to/mcp.md"]));
  expect(await textOf("svcm://contract")).toContain("SVC_HTTP_FRAMEWORK");
  let whole = "";
  for (let uri: string | undefined = "svcm://docs/reference/rules.md"; uri !== undefined;) {
    const text = await textOf(uri);
    expect(Buffer.byteLength(text)).toBeLessThan(16_384);
    uri = /\n\nThe next part: (.+)$/.exec(text)?.[1];
    whole += `${text.replace(/\n\nThe next part: .+$/, "")}\n`;
  }
  expect(whole.trim()).toBe(readFileSync(join(DOCS, "reference/rules.md"), "utf8").trim());
  for (const uri of ["svcm://docs/../package.json", "svcm://docs/how-to/../../package.json", "file:///etc/passwd", "x"])
    await expect(client.readResource({ uri })).rejects.toThrow("NOT_FOUND");
  const records = callsOf(files.root).map(({ target, outcome }) => `${String(target)} ${String(outcome)}`);
  expect(records.at(0)).toBe("svcm://contract succeeded");
  expect(records.at(-1)).toBe("x refused");
});

longTest("a token sees and calls only the tools of its rights, and no role proposes without --propose", async () => {
  const { files, tokens } = await withTokens(...roles.map((role) => ({ name: role, role })), {
    name: "robot",
    role: "viewer",
    propose: true,
  });
  const { url } = await served({ repository: files });
  const counts = [];
  for (const token of tokens) {
    const program = await overHttp(url, token);
    const tools = await program.tools();
    counts.push([tools.length, tools.includes("logs_read"), tools.includes("propose")]);
    if (tools.includes("propose")) continue;
    for (const [tool, args] of [
      ["propose", WRITE],
      ["apply", { id: "AAAAAAAA" }],
    ] as const)
      expect((await program.call(tool, args)).words).toContain("NOT_FOUND");
  }
  expect(counts).toEqual([
    [17, false, false],
    [18, true, false],
    [18, true, false],
    [18, true, false],
    [19, false, true],
  ]);
});

longTest("what a token proposes, another one approves over HTTP", async () => {
  const { files, tokens } = await withTokens(
    { name: "robot", role: "editor", propose: true },
    { name: "ann", role: "editor" },
    { name: "eve", role: "operator" },
  );
  const [robot = "", ann = "", eve = ""] = tokens;
  const server = await served({ repository: files });
  const { url } = server;
  const before = server.text();
  const program = await overHttp(url, robot);
  const id = idIn(await program.call("propose", WRITE));
  const ask = async (token: string | undefined, path: string, body?: object) => {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/proposals${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const { proposals } = (await ask(eve, "")).body as unknown as { proposals: { planId: string; state: string }[] };
  const planId = proposals[0]?.planId ?? "";
  expect(proposals).toMatchObject([{ id, state: "pending", planId, proposedBy: { actor: "robot", source: "mcp" } }]);
  expect(await ask(robot, "/approve", { id, planId })).toMatchObject({ status: 403, body: { code: "APPROVAL_SELF" } });
  expect(await ask(eve, "/approve", { id, planId })).toMatchObject({ status: 403, body: { code: "RIGHT_MISSING" } });
  expect((await ask(undefined, "/approve", { id, planId })).status).toBe(401);
  expect(await ask(ann, "/approve", { id, planId: "0000-0000" })).toMatchObject({ body: { code: "PROPOSAL_STALE" } });
  expect((await program.call("apply", { id })).isError).toBe(true);
  expect(server.text()).toBe(before);
  expect(await ask(ann, "/approve", { id, planId })).toMatchObject({ status: 200, body: { state: "approved" } });
  expect((await program.call("apply", { id })).words).toContain("is done");
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
  expect(await ask(ann, "/deny", { id })).toMatchObject({ status: 409, body: { code: "PROPOSAL_ENDED" } });
});

test("a server without tokens lets no program propose, and refuses an approval without a token", async () => {
  const { url } = await served();
  const program = await overHttp(url);
  expect(await program.tools()).not.toContain("propose");
  const response = await fetch(`${url}/api/proposals/approve`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: "AAAAAAAA", planId: "0" }),
  });
  expect(response.status).toBe(404);
});

test("an empty answer says so, and a PM2 that does not run is not an empty list", async () => {
  const { url } = await served();
  const program = await overHttp(url);
  const list = await program.call("process_list");
  expect([list.isError, list.words]).toEqual([true, expect.stringContaining("PM2_NOT_RUNNING")]);
  expect((await program.call("releases")).words).toContain("The answer is empty: there is nothing to list.");
  const { isError, words } = await program.call("plan", { environment: "production" });
  expect([isError, words]).toEqual([
    false,
    expect.stringContaining("The file does not exist, so nothing was read or compared."),
  ]);
});

test("a token of one environment proposes and runs nothing elsewhere", async () => {
  const { files, tokens } = await withTokens({
    name: "robot",
    role: "viewer",
    propose: true,
    environments: ["staging"],
  });
  const { url } = await served({ repository: files });
  const program = await overHttp(url, tokens[0]);
  expect((await program.call("propose", WRITE)).words).toContain("TOKEN_LIMITED");
  expect((await program.call("env_read", { environment: "dev" })).words).toContain("TOKEN_LIMITED");
});

describe("requests that do not belong to the protocol", () => {
  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    });

  test("are refused as on every route", async () => {
    const { files } = await withTokens({ name: "robot", role: "viewer" });
    const { url } = await served({ repository: files });
    expect((await post(url, "{}", { authorization: "Bearer svcm_wrong" })).status).toBe(401);
    expect((await post(url, "{}", { origin: "https://example.com" })).status).toBe(403);
    expect((await post(url, "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(url, `"${"x".repeat(66_000)}"`)).status).toBe(413);
    expect((await fetch(`${url}/mcp`)).status).toBe(405);
    expect((await fetch(`${url}/mcp`, { method: "DELETE" })).status).toBe(405);
  });

  test.each([
    "",
    "{",
    "[]",
    "null",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"env_read","arguments":[]}}',
    '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}',
  ])("%s gets an error, and the server goes on", async (body) => {
    const { url } = await served();
    const text = await (await post(url, body)).text();
    expect(text).toContain("error");
    expect(text).not.toMatch(/node_modules|\.ts:/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

/** Wrong values for any member of any tool. */
const WRONG = [
  null,
  -1,
  1e300,
  "",
  "\u0000",
  "../../etc/passwd",
  "x".repeat(9000),
  [],
  {},
  [[]],
  { __proto__: null },
  true,
];

longTest(
  "a hostile program changes nothing, and everything that it calls is recorded",
  { timeout: 120_000 },
  async () => {
    const { files, tokens } = await withTokens({ name: "robot", role: "editor", propose: true });
    const server = await served({ repository: files });
    const before = server.text();
    const program = await overHttp(server.url, tokens[0]);
    const { tools } = await program.client.listTools();
    let calls = 0;
    const answers: string[] = [];
    for (const { name, inputSchema } of tools) {
      const members = [...Object.keys(inputSchema.properties ?? {}), "isBounded", "yes", "approved"];
      const member = members[calls % members.length] ?? "";
      for (const wrong of [WRONG[calls % WRONG.length], WRONG[(calls + 5) % WRONG.length]]) {
        const answer = await program.call(name, { ...(name === "propose" && WRITE), [member]: wrong });
        expect(answer.bytes).toBeLessThan(16_384);
        answers.push(answer.words + answer.data);
        calls += 1;
      }
    }
    for (const name of ["approve", "proposal_approve", "__proto__", "constructor", "env_write", "process_act"])
      expect((await program.call(name, {})).isError).toBe(true);
    expect(callsOf(files.root)).toHaveLength(calls + 6);
    expect(server.text()).toBe(before);
    expect(answers.join("\n")).not.toMatch(/node_modules|\.ts:\d/);
  },
);

longTest("a flood is refused, and does not fill the record of changes", async () => {
  const { files, tokens } = await withTokens({ name: "robot", role: "viewer" });
  const { url } = await served({ repository: files });
  const program = await overHttp(url, tokens[0]);
  const answers = await Promise.all(
    Array.from({ length: 130 }, () => program.call("code_explain", { code: "DEFECT" })),
  );
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(120);
  expect(answers.find(({ isError }) => isError)?.words).toContain("RATE_LIMITED");
  expect(callsOf(files.root).length).toBeLessThanOrEqual(122);
  const audit = (await (
    await fetch(`${url}/api/runtime/audit`, { headers: { authorization: `Bearer ${tokens[0]}` } })
  ).json()) as {
    records: unknown[];
  };
  expect(audit.records).toMatchObject([{ action: "token.create" }]);
});
