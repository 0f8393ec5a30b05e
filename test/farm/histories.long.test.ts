/**
 * After each of many random events, svcm's verdict is compared with what the processes really answer, and with what a
 * fresh start would answer. The oracle asks neither svcm nor PM2's record.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, rolloutApply, rolloutPlan, type Caller } from "../../src/core/index.ts";
import { randomNumbers } from "../support/random.ts";
import { happenings } from "./histories.ts";
import { SERVICES, World, type Answer, type Service } from "./world.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
const COUNT = Number(process.env["SVCM_HISTORIES"] ?? 60);
const SEED = Number(process.env["SVCM_HISTORIES_SEED"] ?? 20_261_126);
const LENGTH = 5;

let world: World;
beforeAll(async () => void (world = await World.begin()));
afterAll(() => world.end());

interface Running {
  readonly pid: number;
  readonly answer: Answer | undefined;
}

/** Waits until PM2 and the processes are at rest: each listed process has written its answer. */
async function settle(): Promise<Map<Service, Running[]>> {
  return await expect
    .poll(
      async () => {
        const list = await world.list();
        const services = SERVICES.map((name): [Service, Running[]] => [
          name,
          list.filter((one) => one.name === name).map(({ pid }) => ({ pid, answer: world.answerOf(name, pid) })),
        ]);
        const isReady = services.every(([, all]) => all.length > 0 && all.every(({ answer }) => answer !== undefined));
        return isReady ? new Map(services) : undefined;
      },
      { timeout: 60_000, interval: 50 },
    )
    .toBeDefined()
    .then(async () => {
      const list = await world.list();
      return new Map(
        SERVICES.map((name) => [
          name,
          list.filter((one) => one.name === name).map(({ pid }) => ({ pid, answer: world.answerOf(name, pid) })),
        ]),
      );
    });
}

const asText = (answer: Answer | undefined): string => JSON.stringify(answer ?? null);

interface Verdict {
  readonly why: readonly unknown[];
  readonly isUnknown: boolean;
  readonly story: string;
}

/** A stale service has a step or a doubt in the plan; any other has no step. */
function expectTrue(name: Service, running: readonly Running[], { why, isUnknown, story }: Verdict): void {
  const fresh = asText(world.freshAnswer(name));
  const isStale = running.some(({ answer }) => asText(answer) !== fresh);
  const now = asText(running[0]?.answer);
  if (isStale)
    expect(
      why.length > 0 || isUnknown,
      `${story}: nothing to do for ${name}, which answers ${now} instead of ${fresh}`,
    ).toBe(true);
  else expect(why, `${story}: a needless step for ${name}`).toEqual([]);
}

test(`${COUNT} histories: svcm never says that nothing is to be done while something else runs`, async () => {
  const ports = world.openPorts();
  const request = { environment: "production" };
  const plan = () => execute(rolloutPlan, ports, request, caller);
  const apply = () => execute(rolloutApply, ports, { ...request, allowDirty: true, minHealthyMs: 200 }, caller);
  const verdicts = { same: 0, changed: 0, unknown: 0 };
  await apply();
  for (let history = 0; history < COUNT; history += 1) {
    const random = randomNumbers(SEED + history);
    const told: string[] = [];
    for (let at = 0; at < LENGTH; at += 1) {
      const happening = happenings[Math.floor(random() * happenings.length)]!;
      told.push(happening.title);
      await happening.act(world, random);
      const running = await settle();
      const runs = world.runs();
      const { steps, unknown } = await plan();
      const story = `history ${history}: ${told.join("; ")}`;
      for (const name of SERVICES) {
        const own = steps.filter(({ app }) => app === name);
        const isUnknown = unknown.some(({ app }) => app === name);
        verdicts[own.length > 0 ? "changed" : isUnknown ? "unknown" : "same"] += 1;
        expectTrue(name, running.get(name) ?? [], { why: own.map(({ why }) => why), isUnknown, story });
      }
      expect(
        steps.filter(({ app }) => app === "nightly"),
        `${story}: a step for the job`,
      ).toEqual([]);
      expect(world.runs(), `${story}: the job ran`).toBe(runs);
    }
    const runs = world.runs();
    const { unknown } = await plan();
    await apply();
    const story = `history ${history}: ${told.join("; ")}; apply`;
    const after = await settle();
    for (const name of SERVICES.filter((one) => unknown.every(({ app }) => app !== one)))
      for (const { answer } of after.get(name) ?? [])
        expect(asText(answer), `${story}: ${name}`).toBe(asText(world.freshAnswer(name)));
    expect(world.runs(), `${story}: the job ran`).toBe(runs);
    // The next history begins with a known state.
    for (const name of new Set(unknown.map(({ app }) => app))) await world.pm2("restart", name, "--update-env");
    world.commit("end");
    await settle();
  }
  console.info(`verdicts: ${JSON.stringify(verdicts)}`);
  await ports.processes.close();
});
