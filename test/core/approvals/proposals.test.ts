/** Values of an env file are proposed, approved and written. The tests of PM2 do the same with a plan. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keepNewest, requireApprover } from "../../../src/core/approvals/decide.ts";
import { FileError } from "../../../src/core/files/ports.ts";
import {
  execute,
  forgetEnded,
  proposalCreate,
  proposalList,
  type SvcmError,
  tokenCreate,
  tokenRevoke,
  type Ports,
} from "../../../src/core/index.ts";
import { byToken, codeOf, HOUR, KEY, person, program, world } from "./proposal-world.ts";

test("values are written once, after a user approved them, and do not stay in the file of proposals", async () => {
  const { propose, approve, run, value, file, stateOf, ports } = world();
  const before = value();
  const proposal = await propose();
  expect(proposal.summary.join("\n")).toContain(`+ ${KEY}=fastify`);
  expect([await codeOf(run(proposal)), value()]).toEqual(["PROPOSAL_NOT_APPROVED", before]);
  expect([statSync(file).mode & 0o777, readFileSync(file, "utf8")]).toEqual([
    0o600,
    expect.stringContaining("fastify"),
  ]);
  await approve(proposal);
  expect(value()).toBe(before);
  const outcomes = await Promise.allSettled([run(proposal), run(proposal), run(proposal)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  expect([value(), await stateOf(proposal)]).toEqual(["fastify", "done"]);
  expect(await codeOf(run(proposal))).toBe("PROPOSAL_ENDED");
  const stored = JSON.parse(readFileSync(file, "utf8")) as { proposals: { input: object }[] };
  expect(stored.proposals.map(({ input }) => input)).toEqual([{}]);
  const { records } = await ports.audit.newest({ limit: 10 });
  expect(records.filter(({ outcome }) => outcome === "succeeded")).toMatchObject([
    { action: "proposal.run", actor: "robot", client: "an editor", target: expect.stringContaining("approved by ann") },
    { action: "env.write", actor: "robot", client: "an editor", source: "mcp" },
    { action: "proposal.approve", actor: "ann", source: "cli" },
    { action: "proposal.create", actor: "robot", keys: [KEY] },
  ]);
});

describe("only a user decides", () => {
  test.each([
    ["the token that proposed", byToken("robot"), "APPROVAL_SELF"],
    ["nobody's token", { source: "http", actor: "anonymous", grants: ["read", "write"] }, "APPROVAL_NEEDS_USER"],
    ["a program", { ...program, grants: ["read", "write"] }, "APPROVAL_NEEDS_USER"],
    ["a token that only reads", { ...byToken("eve"), role: "viewer", grants: ["read"] }, "RIGHT_MISSING"],
    [
      "a token of another environment",
      { ...byToken("eve"), limits: { environments: ["production"] } },
      "TOKEN_LIMITED",
    ],
  ] as const)("%s is refused", async (_, caller, code) => {
    const { propose, approve, stateOf } = world();
    const proposal = await propose();
    expect([await codeOf(approve(proposal, caller)), await stateOf(proposal)]).toEqual([code, "pending"]);
  });

  test("another token may approve, until it is revoked", async () => {
    const { propose, approve, run, value, ports, pass } = world();
    const before = value();
    await execute(tokenCreate, ports, { name: "ann", role: "editor" }, person);
    const [kept, lost] = [await propose(), await propose("restify")];
    await approve(lost, byToken("ann"));
    await execute(tokenRevoke, ports, { name: "ann" }, person);
    expect([await codeOf(run(lost)), value()]).toEqual(["PROPOSAL_NOT_APPROVED", before]);
    pass(1);
    await execute(tokenCreate, ports, { name: "ann", role: "editor" }, person);
    expect(await codeOf(run(lost))).toBe("PROPOSAL_NOT_APPROVED");
    await approve(kept, byToken("ann"));
    await run(kept);
    expect(value()).toBe("fastify");
  });
});

describe("a proposal ends", () => {
  test("an hour after it was proposed, and an hour after it was approved", async () => {
    const { propose, approve, run, pass, stateOf } = world();
    const proposal = await propose();
    pass(HOUR - 1);
    await approve(proposal);
    const late = await propose("restify");
    pass(HOUR);
    expect([await codeOf(run(proposal)), await stateOf(proposal)]).toEqual(["PROPOSAL_ENDED", "expired"]);
    expect(await codeOf(approve(late))).toBe("PROPOSAL_ENDED");
  });

  test("by time, and a server that runs for days then keeps no value of it", async () => {
    const { ports, propose, approve, pass, file, stateOf } = world();
    const [waiting, approved] = [await propose(), await propose("restify")];
    await approve(approved);
    const inputs = () => JSON.parse(readFileSync(file, "utf8")).proposals.map(({ input }: { input: object }) => input);
    const stop = new AbortController();
    const looks: string[] = [];
    const sleep = async (): Promise<void> => {
      looks.push(JSON.stringify(inputs()));
      if (looks.length === 3) stop.abort();
      pass(HOUR / 2);
    };
    const clock = { ...ports.clock, now: () => ports.clock.now(), sleep };
    await forgetEnded({ clock, proposals: ports.proposals }, stop.signal);
    const values = [{ values: { [KEY]: "fastify" } }, { values: { [KEY]: "restify" } }];
    expect(looks.map((text) => JSON.parse(text))).toEqual([values, values, [{}, {}]]);
    expect([await stateOf(waiting), await stateOf(approved)]).toEqual(["expired", "expired"]);
  });

  test("when it is denied, also after an approval", async () => {
    const { propose, approve, run, deny, value } = world();
    const [first, second] = [await propose(), await propose("restify")];
    const before = value();
    await deny(first);
    expect(await codeOf(approve(first))).toBe("PROPOSAL_ENDED");
    await approve(second);
    await deny(second);
    expect([await codeOf(run(second)), value()]).toEqual(["PROPOSAL_ENDED", before]);
  });

  test("when the file changes, before the approval or after it", async () => {
    const { propose, approve, run, files, stateOf, value } = world();
    const [early, late] = [await propose(), await propose("restify")];
    await approve(late);
    const text = readFileSync(files.envFile("dev"), "utf8");
    writeFileSync(files.envFile("dev"), `${text}# by hand\n`);
    const before = value();
    expect([await codeOf(approve(early)), await stateOf(early)]).toEqual(["PROPOSAL_STALE", "stale"]);
    expect([await codeOf(run(late)), await stateOf(late), value()]).toEqual(["PROPOSAL_STALE", "stale", before]);
  });

  test("when its process is killed while it runs: it is never run again", async () => {
    const { propose, approve, run, stateOf, file } = world();
    const proposal = await propose();
    await approve(proposal);
    const text = readFileSync(file, "utf8");
    const { ports } = world();
    const self = await (await ports.proposals()).self();
    const runner = { ...self, pid: 2 ** 22 - 1, startTime: "1" };
    const cut = text.replace('"state":"approved"', `"runner":${JSON.stringify(runner)},"state":"running"`);
    writeFileSync(file, cut);
    expect([await stateOf(proposal), await codeOf(run(proposal))]).toEqual(["interrupted", "PROPOSAL_ENDED"]);
  });
});

test("only a real change of editable keys can be proposed, and ten may wait", async () => {
  const { propose, ports, value, files } = world();
  const create = (input: object) => execute(proposalCreate, ports, { kind: "env.write", ...input } as never, program);
  expect(await codeOf(propose("no-such-framework"))).toBe("INVALID_PAYLOAD");
  expect(await codeOf(create({ values: { SVC_REDIS_URL: "redis://x" } }))).toBe("INVALID_PAYLOAD");
  expect(await codeOf(create({ values: {} }))).toBe("INVALID_REQUEST");
  expect(await codeOf(propose(value()))).toBe("PROPOSAL_EMPTY");
  const apply = { kind: "apply", environment: "dev" };
  expect(await codeOf(create(apply))).toBe("PROPOSAL_EMPTY");
  mkdirSync(join(files.root, "pm2"), { recursive: true });
  writeFileSync(join(files.root, "pm2/ecosystem.dev.config.cjs"), "module.exports = { apps: [] };");
  expect(await codeOf(create(apply))).toBe("PROPOSAL_EMPTY");
  expect(await codeOf(create({ values: { [KEY]: "fastify" }, apps: ["api"] }))).toBe("INVALID_REQUEST");
  for (let count = 0; count < 10; count += 1) await propose(count % 2 === 0 ? "fastify" : "restify");
  expect(await codeOf(propose())).toBe("PROPOSALS_FULL");
  await expect(propose("fastify", { ...program, actor: "another" })).resolves.toMatchObject({ state: "pending" });
});

test.each([
  [undefined, 1],
  [{ environments: ["dev"] }, 1],
  [{ environments: ["production"] }, 0],
  // A proposal without a service concerns all of them.
  [{ services: ["orders"] }, 0],
])("a token with the limits %j sees a proposal of dev: %i", async (limits, count) => {
  const { propose, ports } = world();
  await propose();
  const { proposals } = await execute(proposalList, ports, {}, { ...byToken("eve"), ...(limits && { limits }) });
  expect(proposals).toHaveLength(count);
});

test.each([
  [{ services: ["orders"] }, 1],
  [{ services: ["users"] }, 0],
  [{ environments: ["dev"], services: ["orders"] }, 1],
  [{ environments: ["production"], services: ["orders"] }, 0],
])("a token with the limits %j sees a proposal of the service orders in dev: %i", async (limits, count) => {
  const { propose, ports, file } = world();
  await propose();
  writeFileSync(file, readFileSync(file, "utf8").replace('"state":"pending"', '"state":"pending","service":"orders"'));
  const { proposals } = await execute(proposalList, ports, {}, { ...byToken("eve"), limits });
  expect(proposals).toHaveLength(count);
});

test("nothing runs if its record cannot be written", async () => {
  const { propose, approve, run, value, stateOf, ports } = world();
  const before = value();
  const proposal = await propose();
  await approve(proposal);
  const append = () => Promise.reject(new FileError("ENOSPC", "/srv/audit.jsonl", "The disk is full."));
  const full = Object.create(ports, { audit: { value: { ...ports.audit, append } } }) as Ports;
  expect(await codeOf(run(proposal, program, full))).toBe("ENOSPC");
  expect([value(), await stateOf(proposal)]).toEqual([before, "approved"]);
});

test("of the proposals that ended, the newest hundred are kept, and every open one", () => {
  const all = Array.from({ length: 103 }, (_, at) => ({ id: String(at), state: at === 0 ? "pending" : "done" }));
  const kept = keepNewest(all as never).map(({ id }) => Number(id));
  expect([kept.length, ...kept.slice(0, 2), kept.at(-1)]).toEqual([101, 0, 3, 102]);
  expect(keepNewest(all.slice(0, 101) as never)).toHaveLength(101);
});

const PARENT = { pid: 7, host: "web-1", startTime: "100", bootId: "b", pidNamespace: "n" };

test.each([
  ["the program that proposed", {}, "APPROVAL_SELF"],
  ["another program with its number", { startTime: "101" }, undefined],
  ["one before the last boot", { bootId: "c" }, undefined],
  ["one of another container", { pidNamespace: "m" }, undefined],
  ["another one", { pid: 8 }, undefined],
])("a terminal below %s does not approve: %j %s", (_what, more, code) => {
  const proposal = { id: "P1", proposedBy: { actor: "robot", source: "mcp" }, isByToken: false, parent: PARENT };
  const refusal = ((): SvcmError | undefined => {
    try {
      requireApprover(proposal as never, person, [
        { ...PARENT, pid: 1 },
        { ...PARENT, ...more },
      ]);
      return undefined;
    } catch (error) {
      return error as SvcmError;
    }
  })();
  expect(refusal?.body.code).toBe(code);
});
