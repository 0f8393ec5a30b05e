/** The rules of the protocol: what it asks of a server, and what it does not expect of a client, over both ways. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openMcp } from "../../src/mcp/index.ts";
import { defaultLimits } from "../../src/server/limits.ts";
import { ask, repository, sharedServer, testServer, type ServerOptions } from "../server/support.ts";
import { type Answered, rawHttp, rawStdio, type RawProgram } from "../support/mcp-raw.ts";
import { bearer, createToken } from "../support/tokens.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const withMcp: ServerOptions = {
  openMcp: (ports, log, askNode) => Promise.resolve(openMcp({ ports, version: "1.2.3", log, docs: DOCS, askNode })),
};
const served = (options: object = {}) => testServer({ ...options, ...withMcp });
const shared = sharedServer(withMcp);

const request = (method: string, params?: object, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
const initialize = (protocolVersion: unknown): string =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } });
const call = (name: string, args: object = {}, id: unknown = 1): string =>
  request("tools/call", { name, arguments: args }, id);

const ways: readonly (readonly [string, () => Promise<RawProgram>])[] = [
  ["stdio", async () => await begun(await rawStdio(repository().root))],
  ["POST /mcp", async () => rawHttp((await shared()).url)],
];

async function begun(program: RawProgram): Promise<RawProgram> {
  await program.send(initialize("2025-11-25"));
  await program.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  return program;
}

/** `fetch` opens a connection for each request under way, and the server closes the oldest ones above its limit. */
async function sendEach(program: RawProgram, texts: readonly string[]): Promise<readonly Answered[]> {
  const left = texts.values();
  const sendRest = async (): Promise<readonly Answered[]> => {
    const answers: Answered[] = [];
    for (const text of left) answers.push(...(await program.send(text)));
    return answers;
  };
  return (await Promise.all(Array.from({ length: defaultLimits.maxConnections / 2 }, sendRest))).flat();
}

// Each test over stdio starts a program.
describe.each(sampleOrAll(ways, ways.slice(1)))("over %s", (way, open) => {
  test("methods: what is offered answers, and what is not is refused as unknown", async () => {
    const program = await open();
    expect(await program.send(request("ping"))).toMatchObject([{ id: 1, result: {} }]);
    const [tools] = await program.send(request("tools/list"));
    expect(tools?.result).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: "plan" })]) });
    expect(tools?.result).not.toHaveProperty("nextCursor");
    const [templates] = await program.send(request("resources/templates/list"));
    expect(templates?.result).toMatchObject({ resourceTemplates: [{ uriTemplate: "svcm://docs/{+page}{?part}" }] });
    for (const method of ["prompts/list", "logging/setLevel", "completion/complete", "tools/delete", "__proto__"])
      expect(await program.send(request(method, {})), method).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    expect(program.noise).toEqual([]);
  });

  test("a cursor of a list that was never sent is refused, in place of the same list again", async () => {
    const program = await open();
    for (const method of ["tools/list", "resources/list", "resources/templates/list"])
      expect(await program.send(request(method, { cursor: "2" })), method).toMatchObject([{ error: { code: -32602 } }]);
  });

  test("ids of any form come back as they are", async () => {
    const program = await open();
    for (const id of [0, -1, 2 ** 53 - 1, "", "x".repeat(10_000), "1"])
      expect(await program.send(call("code_explain", { code: "DEFECT" }, id))).toMatchObject([{ id }]);
  });

  test("a token for progress and unknown members of a request disturb nothing", async () => {
    const program = await open();
    const params = { name: "code_explain", arguments: { code: "DEFECT" }, _meta: { progressToken: "p" }, more: 1 };
    const answers = await program.send(request("tools/call", params));
    expect(answers.at(-1)).toMatchObject({ id: 1, result: { content: [{ type: "text" }, { type: "text" }] } });
  });

  test.each([
    ["a batch", `[${request("ping")},${request("ping", {}, 2)}]`],
    ["a version of JSON-RPC that does not exist", '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ["parameters that are a list", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["plan"]}'],
    ["deep nesting", `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(9000)}${"]".repeat(9000)}}`],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":77,"result":{}}'],
    ["a cancellation of nothing", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}'],
    ["half of a message", '{"jsonrpc":"2.0","id":1,"meth'],
  ])("%s ends nothing, and runs no tool", async (_, text) => {
    const program = await open();
    for (const { result } of await program.send(text).catch(() => [])) expect(result ?? {}).toEqual({});
    expect(await program.send(request("ping"))).toMatchObject([{ id: 1 }]);
    expect(program.noise).toEqual([]);
  });

  longTest("a thousand calls at once are all answered, and no more than the limit is carried out", async () => {
    // A separate server, because the limit is for all calls of a minute.
    const program = way === "stdio" ? await open() : rawHttp((await served()).url);
    const texts = Array.from({ length: 1000 }, (_, at) => call("code_explain", { code: "DEFECT" }, at));
    const answers = way === "stdio" ? await program.send(texts.join("\n")) : await sendEach(program, texts);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1000);
    expect(answers.filter(({ result }) => result?.["isError"] !== true)).toHaveLength(120);
  });
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("the protocol %s is spoken", async (version) => {
  const program = rawHttp((await shared()).url);
  const [answer] = await program.send(initialize(version));
  expect(answer?.result).toMatchObject({ protocolVersion: version, serverInfo: { name: "svcm", version: "1.2.3" } });
});

test.each(["1999-01-01", "2999-01-01", ""])("the unknown protocol %j gets one that svcm speaks", async (version) => {
  const program = rawHttp((await shared()).url);
  const [answer] = await program.send(initialize(version));
  expect(answer?.result?.["protocolVersion"]).toMatch(/^202[4-6]-\d\d-\d\d$/);
});

test("a session of another token gives no rights, and there is none to steal", async () => {
  const files = repository();
  const [admin, viewer] = [
    await createToken(files.root, "ann", "admin"),
    await createToken(files.root, "eve", "viewer"),
  ];
  const { url } = await served({ repository: files });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...bearer(admin),
  };
  const opened = await fetch(`${url}/mcp`, { method: "POST", headers, body: initialize("2025-11-25") });
  expect([opened.status, opened.headers.get("mcp-session-id")]).toEqual([200, null]);
  const thief = rawHttp(url, { ...bearer(viewer), "mcp-session-id": "1", "last-event-id": "1" });
  const [refused] = await thief.send(call("logs_read"));
  expect(JSON.stringify(refused)).toContain("NOT_FOUND");
  expect(JSON.stringify(await rawHttp(url, bearer(`${viewer}x`)).send(call("plan")))).toContain("Unauthorized.");
});

test("headers that a browser on another page sends are refused", async () => {
  const { url, port } = await served();
  const post = (headers: Record<string, string>) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: request("ping"),
    });
  expect((await post({ origin: "null" })).status).toBe(403);
  expect((await post({ origin: `http://example.com:${port}` })).status).toBe(403);
  expect((await post({ accept: "text/html" })).status).toBe(406);
  expect(
    (await ask({ port }, "/mcp", { method: "POST", headers: { host: "evil.example" }, body: request("ping") })).status,
  ).toBe(403);
});

test("a call goes on over HTTP after a restart of the server, without a new session", async () => {
  const files = repository();
  const first = await served({ repository: files });
  expect(await rawHttp(first.url).send(call("env_read", { environment: "dev" }))).toMatchObject([{ id: 1 }]);
  await first.close();
  const second = await served({ repository: files, port: first.port });
  const [answer] = await rawHttp(second.url).send(call("env_read", { environment: "dev" }));
  expect(answer?.result).not.toMatchObject({ isError: true });
});

describe("over stdio", () => {
  longTest("bytes that are not text are dropped, and the next message is answered", async () => {
    const program = await rawStdio(repository().root);
    await begun(program);
    await program.send("\u0000\uFFFD\u001B[2J");
    expect(await program.send(request("ping"))).toMatchObject([{ id: 1, result: {} }]);
    expect(program.noise).toEqual([]);
  });

  longTest("a message of more than 10 MiB ends svcm, and standard error says why", async () => {
    const program = await rawStdio(repository().root);
    await begun(program);
    program.send(call("env_read", { environment: "x".repeat(12_000_000) })).catch(() => undefined);
    expect(await program.ended).toBe(0);
    expect(program.received()).toContain("exceeded maximum size");
  });

  test("svcm ends when the client has closed its end, and answers before that what it began", async () => {
    const program = await rawStdio(repository().root);
    await begun(program);
    expect(await program.send(call("process_list"))).toHaveLength(1);
    expect(await program.end()).toBe(0);
  });

  longTest("what the client cancels is not answered, and what comes next is", async () => {
    const program = await begun(await rawStdio(repository().root));
    const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
    const answers = await program.send(
      [call("doctor", {}, 7), cancel, call("env_read", { environment: "dev" }, 8)].join("\n"),
      [7],
    );
    expect(answers.map(({ id }) => id)).not.toContain(7);
    expect((await program.send(call("env_read", { environment: "dev" }, 9))).map(({ id }) => id)).toContain(9);
  });
});
