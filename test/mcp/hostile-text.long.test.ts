/** Every tool and resource, over both ways, on a machine that lies: no secret leaves, and no text passes as svcm's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMcp } from "../../src/mcp/index.ts";
import { listTools } from "../../src/mcp/tools.ts";
import { testServer } from "../server/support.ts";
import { rawHttp, rawStdio, type Answered, type RawProgram } from "../support/mcp-raw.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { createToken } from "../support/tokens.ts";
import { hostileWorld, leaksIn, LURE, type HostileWorld } from "./hostile-world.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const own = pm2();
let world: HostileWorld;
beforeAll(async () => {
  await own.startDaemon();
  world = await hostileWorld(own);
}, 120_000);
afterAll(() => own.end());

const PLACE = { environment: "dev" };
const argumentsOf = (name: string): readonly object[] => {
  const apps = world.apps.map((app) => ({ name: app }));
  const all: Readonly<Record<string, readonly object[]>> = {
    process_show: [...apps, { name: LURE }],
    event_why: [...apps, {}, { name: LURE }],
    events_list: [{}, { app: world.apps[1] }, { limit: 2 }],
    logs_read: [
      { since: "1h" },
      { app: "api" },
      { apps: [...world.apps] },
      { grep: "SYSTEM" },
      { grep: "Cnry" },
      { stream: "err" },
    ],
    history_show: [{}, { series: LURE }],
    env_diff: [
      { from: "dev", to: "staging" },
      { from: LURE, to: "dev" },
    ],
    code_explain: [{ code: "DEFECT" }, { code: LURE }],
    audit_list: [{}, { calls: true }],
    plan: [PLACE, { ...PLACE, apps: ["api"] }, { ...PLACE, restart: [...world.apps] }, { environment: LURE }],
    propose: [
      { kind: "apply", ...PLACE, reason: LURE.slice(0, 200) },
      { kind: "deploy", ...PLACE },
      { kind: "deploy", ...PLACE, revision: LURE },
      { kind: "env.write", ...PLACE, values: { SVC_HTTP_FRAMEWORK: LURE, [LURE]: "x" } },
      { kind: "env.write", ...PLACE, values: { SVC_REDIS_PASSWORD: "x" } },
    ],
    apply: [{ id: "AAAAAAAA" }, { id: LURE }],
  };
  return all[name] ?? [{}, PLACE, { environment: LURE }];
};

async function served(role: "viewer" | "editor"): Promise<RawProgram> {
  const token = await createToken(world.root, `robot-${role}`, role, { propose: true });
  const { url } = await testServer({
    env: { ...world.env, HOME: world.root, PATH: process.env["PATH"] },
    repository: { root: world.root, envFile: () => "", auditFile: "" },
    openMcp: (ports, log, askNode) => Promise.resolve(openMcp({ ports, version: "1.2.3", log, docs: DOCS, askNode })),
  });
  return rawHttp(url, { authorization: `Bearer ${token}` });
}

const ways = {
  stdio: async () => await rawStdio(world.root, ["--allow", "plan"], world.env),
  "POST /mcp as a viewer": () => served("viewer"),
  "POST /mcp as an editor": () => served("editor"),
};

test.for(Object.keys(ways) as (keyof typeof ways)[])("over %s", { timeout: 600_000 }, async (way) => {
  const before = await world.state();
  const program = await ways[way]();
  let id = 0;
  const ask = async (method: string, params: object): Promise<Answered> => {
    const answers = await program.send(JSON.stringify({ jsonrpc: "2.0", id: (id += 1), method, params }));
    return answers.at(-1) ?? {};
  };
  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: LURE, version: "1" },
  });
  const bytesOf = await readAll(ask);
  const { result: listed } = await ask("resources/list", {});
  for (const { uri } of (listed?.["resources"] ?? []) as { uri: string }[]) await ask("resources/read", { uri });
  for (const uri of [LURE, "file:///etc/passwd", `svcm://docs/${LURE}`]) {
    const { error } = await ask("resources/read", { uri });
    expect(error?.message).toMatch(/^NOT_FOUND/);
  }
  await ask("tools/list", {});
  expect(leaksIn(program.received())).toEqual([]);
  expect(program.noise).toEqual([]);
  // Only text that the tools did show proves anything.
  for (const shown of ["process_list", "event_why", "audit_list", "plan", "env_read", "releases"])
    expect(bytesOf[shown], shown).toBeGreaterThan(500);
  expect(program.received()).toContain("SYSTEM");
  expect(await world.state()).toBe(before);
  expect(leaksIn(readFileSync(join(world.root, ".svcm/calls.jsonl"), "utf8"))).toEqual([]);
});

type Ask = (method: string, params: object) => Promise<Answered>;

/** Reads every page of every tool, and returns how much each of them showed. */
async function readAll(ask: Ask): Promise<Readonly<Record<string, number>>> {
  const marks = new Set<string>();
  const bytesOf: Record<string, number> = {};
  const calls = listTools("1.2.3").flatMap(({ name }) => argumentsOf(name).map((args) => ({ name, args })));
  for (const { name, args } of calls)
    for (let more: object | undefined = args, pages = 0; more !== undefined && pages < 20; pages += 1) {
      const { result } = await ask("tools/call", { name, arguments: more });
      const blocks = ((result?.["content"] ?? []) as { text: string }[]).map(({ text }) => text);
      bytesOf[name] = (bytesOf[name] ?? 0) + blocks.join("").length;
      expectMarked(blocks, marks, `${name} ${JSON.stringify(args)}`);
      const cursor = /cursor "([^"]+)"/.exec(blocks[0] ?? "")?.[1];
      more = cursor === undefined ? undefined : { ...args, cursor };
    }
  return bytesOf;
}

/** The words are svcm's own; text of others stays between marks that no text can know before. */
function expectMarked(blocks: readonly string[], marks: Set<string>, where: string): void {
  const [words = "", data] = blocks;
  expect(blocks.length, where).toBeLessThanOrEqual(2);
  expect.soft(leaksIn(words + data), `${where}: ${words}${data}`).toEqual([]);
  expect.soft(words, where).not.toMatch(/SYSTEM|devorppa|[\p{Cc}\p{Cf}]/u);
  if (data === undefined) return;
  const mark = /^<<<(\S{11}) /.exec(data)?.[1] ?? "";
  expect.soft(data.replaceAll("\n", ""), where).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(data.split("\n").filter((line) => line === `${mark}>>>`)).toHaveLength(1);
  expect([data.endsWith(`\n${mark}>>>`), marks.has(mark)]).toEqual([true, false]);
  marks.add(mark);
}
