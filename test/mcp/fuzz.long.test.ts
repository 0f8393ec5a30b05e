/** A hostile client: any tool with any arguments, and messages of no form, with tokens of each kind. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ports } from "../../src/core/index.ts";
import { openMcp } from "../../src/mcp/index.ts";
import { listTools, type Tool } from "../../src/mcp/tools.ts";
import { testServer } from "../server/support.ts";
import { rawHttp, type Answered, type RawProgram } from "../support/mcp-raw.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { createToken } from "../support/tokens.ts";
import { hostileWorld, leaksIn, LURE, type HostileWorld } from "./hostile-world.ts";
import { anyCharacter } from "../support/any-character.ts";

const DURATION_MS = Number(process.env["SVCM_FUZZ_MS"] ?? 60_000);
const DOCS = join(import.meta.dirname, "../../docs");
/** A value of the environment that the limited token may not read. */
const FOREIGN = "devonly-7f3a";
const own = pm2();
let world: HostileWorld;
beforeAll(async () => {
  await own.startDaemon();
  world = await hostileWorld(own);
  appendFileSync(join(world.root, "apps/backend-template/src/config/.env.dev"), `SVC_JWT_AUDIENCE=${FOREIGN}\n`);
}, 120_000);
afterAll(() => own.end());

const kinds = {
  reader: { role: "viewer" },
  proposer: { role: "viewer", propose: true },
  admin: { role: "admin" },
  limited: { role: "editor", propose: true, environments: ["staging"] },
} as const;
type Kind = keyof typeof kinds;
/** A token may call 120 times a minute. */
const TOKENS_OF_KIND = 8;
const TOOLS_OF_PROPOSERS = new Set(["propose", "apply"]);

/** Members that other operations have, and words that could open a gate. */
const FOREIGN_MEMBERS =
  "yes approved approve force allowDirty prune plan planId deployPlan fixed version offline all file node isBounded adopt switchEnvironment message grants role __proto__ constructor".split(
    " ",
  );

function argumentsFor({ inputSchema }: Tool): fc.Arbitrary<Record<string, unknown>> {
  const plausible = fc.constantFrom<unknown>(
    ..."api dev staging production apply deploy env.write err error 1h 7d HEAD main".split(" "),
    ..."AAAAAAAA l0 l3 cpu DEFECT SYSTEM".split(" "),
    5,
    1,
    100,
    true,
    ["api"],
    { SVC_HTTP_FRAMEWORK: "fastify" },
  );
  const wrong = fc.oneof(
    fc.constantFrom<unknown>(
      LURE,
      "../../../etc/passwd",
      "--all",
      "$(touch /tmp/x)",
      "a\u0000b",
      "l1.AAAA",
      "x".repeat(9000),
    ),
    fc.constantFrom<unknown>(null, -1, 1e300, 2 ** 53, [], {}, [[]], "", " ", true, [LURE], { [LURE]: LURE }, "*"),
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: anyCharacter, maxLength: 200 }),
  );
  const value = fc.oneof({ arbitrary: plausible, weight: 3 }, { arbitrary: wrong, weight: 2 });
  const names = [...Object.keys(inputSchema.properties), ...inputSchema.required, ...inputSchema.required];
  const member = fc.oneof(
    { arbitrary: fc.constantFrom(...(names.length === 0 ? ["cursor"] : names)), weight: 9 },
    { arbitrary: fc.constantFrom(...FOREIGN_MEMBERS), weight: 1 },
  );
  // A request that names its environment goes further.
  const place = Object.hasOwn(inputSchema.properties, "environment")
    ? [{ environment: "dev" }, { environment: "staging" }, {}]
    : [{}];
  return fc
    .tuple(fc.constantFrom<object>(...place), fc.array(fc.tuple(member, value), { maxLength: 4 }))
    .map(([base, members]) => ({ ...base, ...Object.fromEntries(members) }));
}

const tools = listTools("1.2.3");
const call = fc
  .constantFrom(...tools)
  .chain((tool) =>
    fc.tuple(fc.constant(tool.name), argumentsFor(tool), fc.constantFrom(...(Object.keys(kinds) as Kind[]))),
  );
const mangled = fc
  .tuple(call, fc.nat(), fc.string({ unit: anyCharacter, maxLength: 3 }))
  .map(([[name, args], at, text]) => {
    const whole = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
    const cut = at % whole.length;
    return whole.slice(0, cut) + text + whole.slice(cut + 1);
  });

test(
  "it changes nothing, reads no secret, gains no right, and every call is recorded",
  { timeout: DURATION_MS + 300_000 },
  async () => {
    let ports: Ports | undefined;
    const log: string[] = [];
    const programs: Record<string, RawProgram[]> = {};
    const tokens = Object.keys(kinds).flatMap((kind) =>
      Array.from({ length: TOKENS_OF_KIND }, (_, at) => [kind as Kind, at] as const),
    );
    const made = [];
    for (const [kind, at] of tokens) {
      const { role, ...more } = kinds[kind];
      const limits = "environments" in more ? { ...more, environments: [...more.environments] } : more;
      made.push([kind, await createToken(world.root, `${kind}-${at}`, role, limits)] as const);
    }
    const { url } = await testServer({
      env: { ...world.env, HOME: world.root, PATH: process.env["PATH"] },
      repository: { root: world.root, envFile: () => "", auditFile: "" },
      world: (real) => (ports = real),
      openMcp: (real, write, askNode) =>
        Promise.resolve(
          openMcp({ ports: real, version: "1.2.3", log: (line) => (log.push(line), write(line)), docs: DOCS, askNode }),
        ),
    });
    for (const [kind, token] of made) (programs[kind] ??= []).push(rawHttp(url, { authorization: `Bearer ${token}` }));
    const before = await world.state();
    const seed = Date.now() % 2 ** 31;
    const [calls, broken] = [fc.sample(call, { seed, numRuns: 20_000 }), fc.sample(mangled, { seed, numRuns: 20_000 })];
    const outcomes = new Set<string>();
    let [sent, answered] = [0, 0];
    const end = performance.now() + DURATION_MS;
    for (let at = 0; performance.now() < end && at < calls.length; at += 1) {
      const [name, args, kind] = calls[at]!;
      const program = programs[kind]![at % TOKENS_OF_KIND]!;
      const where = `seed ${seed}, call ${at}: ${kind} ${name} ${JSON.stringify(args).slice(0, 300)}`;
      const text = JSON.stringify({ jsonrpc: "2.0", id: at, method: "tools/call", params: { name, arguments: args } });
      const answers = await program.send(text);
      sent += 1;
      const { words, data, isError } = blocksOf(answers);
      answered += words === "" ? 0 : 1;
      outcomes.add(`${name} ${isError ? "refused" : "answered"}`);
      expectWithinRights({ name, kind, words, data, isError }, where);
      if (at % 10 === 0) {
        const lost = await program.send(broken[at]!).catch(() => []);
        for (const one of lost) expect(leaksIn(JSON.stringify(one)), broken[at]).toEqual([]);
      }
      if (at % 250 === 0) expect(await world.state(), where).toBe(before);
    }
    expect(await world.state(), `seed ${seed}`).toBe(before);
    const recorded = ports!.audit
      .counts()
      .filter(({ action }) => action === "mcp.call")
      .reduce((sum, { count }) => sum + count, 0);
    const changes = ports!.audit
      .counts()
      .filter(({ action, outcome }) => outcome === "succeeded" && !/^(?:mcp\.call|proposal\.create)$/.test(action));
    expect(changes).toEqual([]);
    expect(recorded).toBeGreaterThanOrEqual(answered);
    expect(answered).toBe(sent);
    expect(log, `seed ${seed}`).toEqual([]);
    expect(
      Object.values(programs)
        .flat()
        .flatMap((program) => leaksIn(program.received())),
    ).toEqual([]);
    // Only a tool that also answers was tried. On a busy machine there is no time for all.
    expect([...outcomes].filter((one) => one.endsWith(" answered")).length).toBeGreaterThan(8);
    console.log(`fuzz: ${sent} calls, ${recorded} recorded, seed ${seed}`);
  },
);

interface Answer {
  readonly name: string;
  readonly kind: Kind;
  readonly words: string;
  readonly data: string;
  readonly isError: boolean;
}

function expectWithinRights({ name, kind, words, data, isError }: Answer, where: string): void {
  expect(words, where).not.toMatch(/RATE_LIMITED|DEFECT:|SYSTEM|[\p{Cc}\p{Cf}]/u);
  expect(Buffer.byteLength(words + data), where).toBeLessThanOrEqual(16_384);
  expect(leaksIn(words + data), where).toEqual([]);
  expect(words + data, where).not.toMatch(/\.ts:\d|root:x:0/);
  if (name === "apply") expect(isError, where).toBe(true);
  if (TOOLS_OF_PROPOSERS.has(name) && !("propose" in kinds[kind])) expect(words, where).toContain("NOT_FOUND");
  if (kind === "limited") expect(data, where).not.toContain(FOREIGN);
  if (name === "logs_read" && !isError) expect(kind, where).toMatch(/admin|limited/);
}

function blocksOf(answers: readonly Answered[]): {
  readonly words: string;
  readonly data: string;
  readonly isError: boolean;
} {
  const { result, error } = answers.at(-1) ?? {};
  const [words = error?.message ?? "", data = ""] = ((result?.["content"] ?? []) as { text: string }[]).map(
    ({ text }) => text,
  );
  return { words, data, isError: error !== undefined || result?.["isError"] === true };
}
