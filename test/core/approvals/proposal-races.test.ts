/** Two users at once, a file that changes in between, a restart, a clock that is set, a damaged file, a full list. */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { execute, nodePorts, proposalCreate, proposalList, type Ports } from "../../../src/core/index.ts";
import { longTest, propertyRuns } from "../../support/runs.ts";
import { byToken, codeOf, HOUR, KEY, person, program, world } from "./proposal-world.ts";

const done = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    () => codeOf(work),
  );

/** The same repository after a restart of the program that holds it. */
function restarted({ files, ports }: ReturnType<typeof world>): Ports {
  const real = nodePorts({ root: files.root, env: { PM2_HOME: join(files.root, ".pm2") }, cwd: files.root });
  return Object.create(real, { clock: { value: ports.clock } }) as Ports;
}

/** Calls `between` when the user's approval has read the proposal and has not computed its plan yet. */
function interrupted(ports: Ports, between: () => Promise<void>): Ports {
  const proposals = async () => ({
    ...(await ports.proposals()),
    ancestors: async () => (await between(), []),
  });
  return Object.create(ports, { proposals: { value: proposals } }) as Ports;
}

describe("two users at once", () => {
  test("of two approvals one counts, and the other one is refused", async () => {
    const { propose, approve, stateOf } = world();
    const proposal = await propose();
    const outcomes = await Promise.all([done(approve(proposal)), done(approve(proposal, byToken("bob")))]);
    expect(outcomes.toSorted()).toEqual(["PROPOSAL_ENDED", "done"]);
    expect(await stateOf(proposal)).toBe("approved");
  });

  test.each(["the denial", "the approval"])("a denial wins, also if %s is read first", async (first) => {
    const { propose, approve, deny, run, stateOf, ports } = world();
    const proposal = await propose();
    if (first === "the approval")
      expect(
        await done(
          approve(
            proposal,
            person,
            interrupted(ports, async () => void (await deny(proposal))),
          ),
        ),
      ).toBe("PROPOSAL_ENDED");
    else await Promise.all([done(approve(proposal)), deny(proposal)]);
    expect([await stateOf(proposal), await codeOf(run(proposal))]).toEqual(["denied", "PROPOSAL_ENDED"]);
  });

  test("an approval that comes after the run does not say that the run was out of date", async () => {
    const { propose, approve, run, stateOf, files, ports, value } = world();
    const proposal = await propose();
    const late = interrupted(ports, async () => {
      await approve(proposal);
      await run(proposal);
      writeFileSync(files.envFile("dev"), `${readFileSync(files.envFile("dev"), "utf8")}# by hand\n`);
    });
    expect(await done(approve(proposal, byToken("bob"), late))).toBe("PROPOSAL_STALE");
    expect([await stateOf(proposal), value()]).toEqual(["done", "fastify"]);
  });
});

test("the list shows the newest first, also after an older one was approved", async () => {
  const { propose, approve, ports } = world();
  const [old, young] = [await propose(), await propose("restify")];
  await approve(old);
  const { proposals } = await execute(proposalList, ports, {}, person);
  expect(proposals.map(({ id }) => id)).toEqual([young.id, old.id]);
});

test("a proposal that is not needed any more is out of date, and so is the second one of two equal ones", async () => {
  const { propose, approve, run, stateOf } = world();
  const [first, twin, third] = [await propose(), await propose(), await propose()];
  await approve(first);
  await approve(twin);
  await run(first);
  expect([await codeOf(approve(third)), await stateOf(third)]).toEqual(["PROPOSAL_STALE", "stale"]);
  await codeOf(run(twin));
  expect([await stateOf(twin), await stateOf(first)]).toEqual(["stale", "done"]);
});

test("what a user reads before an approval holds no hidden character, whatever the program sends", async () => {
  const { ports } = world();
  const reason = "\u001B[2J\u202Eapproved\u200B\nby ann";
  const input = { kind: "env.write", environment: "dev", values: { [KEY]: "fastify" }, reason } as const;
  const proposal = await execute(proposalCreate, ports, input, program);
  expect([proposal.reason, ...proposal.summary].join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(proposal.reason).toContain("\\u202eapproved");
});

test("an approval outlives a restart, and still runs once", async () => {
  const before = world();
  const proposal = await before.propose();
  await before.approve(proposal);
  const after = restarted(before);
  await before.run(proposal, program, after);
  expect([before.value(), await codeOf(before.run(proposal, program, restarted(before)))]).toEqual([
    "fastify",
    "PROPOSAL_ENDED",
  ]);
});

describe("the clock is set back", () => {
  test("by hours: the time that an approval waited is unknown, so it ends", async () => {
    const { propose, approve, run, pass, value, stateOf } = world();
    const before = value();
    const [pending, approved] = [await propose(), await propose("restify")];
    await approve(approved);
    pass(-24 * HOUR);
    expect([await codeOf(run(approved)), await codeOf(approve(pending)), value()]).toEqual([
      "PROPOSAL_ENDED",
      "PROPOSAL_ENDED",
      before,
    ]);
    expect([await stateOf(pending), await stateOf(approved)]).toEqual(["expired", "expired"]);
  });

  test("by seconds, as a time service does: the approval holds", async () => {
    const { propose, approve, run, pass, value } = world();
    const proposal = await propose();
    await approve(proposal);
    pass(-30_000);
    await run(proposal);
    expect(value()).toBe("fastify");
  });
});

describe("a damaged file approves and runs nothing", () => {
  const change = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
  test.each([
    ["is cut off", (text: string) => text.slice(0, -9)],
    ["is empty", () => ""],
    ["has an end that is not a time", change(/"expiresAt":"[^"]*"/, '"expiresAt":"never"')],
    ["has an unknown kind", change('"kind":"env.write"', '"kind":"shell"')],
    ["has an unknown state", change('"state":"approved"', '"state":"approved!"')],
    ["is of another version", change('"version":1', '"version":2')],
    ["is larger than svcm writes", (text: string) => text + " ".repeat(16 * 2 ** 20), "EFBIG"],
  ] as const)("it %s", async (_, damage, code: string = "PROPOSALS_FAILED") => {
    const { propose, approve, run, file, value } = world();
    const before = value();
    const proposal = await propose();
    await approve(proposal);
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    expect([await codeOf(approve(proposal)), await codeOf(run(proposal)), await codeOf(propose()), value()]).toEqual([
      code,
      code,
      code,
      before,
    ]);
  });

  test("a folder is in its place", async () => {
    const { propose, file } = world();
    mkdirSync(file, { recursive: true });
    expect(await codeOf(propose())).toBe("ENOTREG");
  });

  test("it was made readable for others: it is closed again with the next change", async () => {
    const { propose, file } = world();
    await propose();
    chmodSync(file, 0o644);
    await propose("restify");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("it was removed: what was approved is gone", async () => {
    const { propose, approve, run, file, value } = world();
    const before = value();
    const proposal = await propose();
    await approve(proposal);
    rmSync(file);
    expect([await codeOf(run(proposal)), value()]).toEqual(["PROPOSAL_NOT_FOUND", before]);
  });
});

longTest("of a hundred that wait, exactly the approved one runs", async () => {
  const { propose, approve, run, ports, value } = world();
  const all = [];
  for (let at = 0; at < 100; at += 1)
    all.push(await propose(at === 57 ? "restify" : "fastify", { ...program, actor: `robot${at % 10}` }));
  expect(await codeOf(propose("fastify", { ...program, actor: "robot3" }))).toBe("PROPOSALS_FULL");
  await approve(all[57]!);
  for (const other of [all[0]!, all[56]!, all[58]!, all[99]!])
    expect(await codeOf(run(other))).toBe("PROPOSAL_NOT_APPROVED");
  await run(all[57]!);
  expect(value()).toBe("restify");
  const { proposals } = await execute(proposalList, ports, {}, person);
  expect(proposals.map(({ id, state }) => `${id} ${state}`).toReversed()).toEqual(
    all.map(({ id }, at) => `${id} ${at === 57 ? "done" : "pending"}`),
  );
});

/** The proposals after a history of acts. `at` is a proposal, or an amount. */
const step = fc.record({
  kind: fc.constantFrom("propose", "approve", "approve", "self", "deny", "run", "run", "pass", "edit", "restart"),
  at: fc.nat({ max: 5 }),
  value: fc.constantFrom("fastify", "restify", "express"),
});

type Scene = ReturnType<typeof world>;

interface Kept {
  readonly proposal: Awaited<ReturnType<Scene["propose"]>>;
  /** The file as it was. */
  readonly of: string;
  until: number;
  left: number;
}

const textOf = ({ files }: Scene): string => readFileSync(files.envFile("dev"), "utf8");

/** Resolves with true if the file may be another one now. */
async function carryOut(scene: Scene, ports: Ports, { kind, at }: { kind: string; at: number }, one: Kept) {
  const before = textOf(scene);
  const now = ports.clock.now();
  if (kind === "approve" && (await done(scene.approve(one.proposal, person, ports))) === "done")
    one.until = now + HOUR + 1000;
  if (kind === "self") expect(await done(scene.approve(one.proposal, byToken("robot"), ports))).not.toBe("done");
  if (kind === "deny" && (await done(scene.deny(one.proposal))) === "done") one.left = 0;
  if (kind === "edit") writeFileSync(scene.files.envFile("dev"), `${before}# ${at}\n`);
  if (kind !== "run" || (await done(scene.run(one.proposal, program, ports))) !== "done") return kind === "edit";
  expect([one.of, one.left, now < one.until]).toEqual([before, 1, true]);
  expect(textOf(scene)).toContain(`${KEY}=${/\+ \w+=(\w+)/.exec(one.proposal.summary.join("\n"))?.[1]}`);
  one.left = 0;
  return true;
}

test("in any history a value changes only by a run of exactly what was approved, once and within the hour", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
      const scene = world();
      const kept: Kept[] = [];
      let { ports } = scene;
      const propose = async (value: string): Promise<void> => {
        const of = textOf(scene);
        const proposal = await scene.propose(value).catch(() => undefined);
        if (proposal !== undefined) kept.push({ proposal, of, until: 0, left: 1 });
      };
      await propose("fastify");
      for (const { kind, at, value } of steps) {
        const before = textOf(scene);
        if (kind === "pass") scene.pass(at * 900_000);
        if (kind === "restart") ports = restarted(scene);
        if (kind === "propose") await propose(value);
        const one = kept[at % kept.length]!;
        if (!(await carryOut(scene, ports, { kind, at }, one))) expect(textOf(scene)).toBe(before);
      }
    }),
    propertyRuns(8, 150),
  );
});
