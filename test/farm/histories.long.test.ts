/**
 * After each of many random events, svcm's verdict is compared with what the processes really answer, and with what a
 * fresh start would answer. The oracle asks neither svcm nor PM2's record.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, rolloutApply, rolloutPlan, type Caller } from "../../src/core/index.ts";
import { pause } from "../support/pause.ts";
import { randomNumbers } from "../support/random.ts";
import { happenings } from "./histories.ts";
import { SERVICES, World, type Answer, type Service } from "./world.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
const COUNT = Number(process.env["SVCM_HISTORIES"] ?? 60);
const SEED = Number(process.env["SVCM_HISTORIES_SEED"] ?? 20_261_126);
const LENGTH = 5;
/** On a loaded machine; on an idle one, a history takes a tenth of it. */
const MAX_HISTORY_MS = 300_000;

let world: World;
beforeAll(async () => void (world = await World.begin()));
afterAll(() => world.end());

interface Running {
  readonly pid: number;
  readonly answer: Answer | undefined;
}

async function observe(): Promise<Map<Service, Running[]>> {
  const list = await world.list();
  return new Map(
    SERVICES.map((name): [Service, Running[]] => [
      name,
      list.filter((one) => one.name === name).map(({ pid }) => ({ pid, answer: world.answerOf(name, pid) })),
    ]),
  );
}

/** Waits until PM2 and the processes are at rest: each listed process has written its answer. */
async function settle(story: string): Promise<Map<Service, Running[]>> {
  const isReady = async (): Promise<boolean> =>
    [...(await observe()).values()].every((all) => all.length > 0 && all.every(({ answer }) => answer !== undefined));
  await expect.poll(isReady, { timeout: 60_000, interval: 50, message: `${story}: nothing comes to rest` }).toBe(true);
  return await observe();
}

const asText = (answer: Answer | undefined): string => JSON.stringify(answer ?? null);

interface Verdict {
  readonly why: readonly unknown[];
  readonly isUnknown: boolean;
}

/** A stale service has a step or a doubt in the plan; any other has no step. Returns what is untrue. */
function faultsOf(name: Service, running: readonly Running[], { why, isUnknown }: Verdict): string[] {
  const fresh = asText(world.freshAnswer(name));
  const isStale = running.some(({ answer }) => asText(answer) !== fresh);
  const now = running.map(({ answer }) => asText(answer)).join(" and ");
  if (isStale && why.length === 0 && !isUnknown)
    return [`nothing to do for ${name}, which answers ${now} instead of ${fresh}`];
  return !isStale && why.length > 0 ? [`a needless step for ${name}: ${JSON.stringify(why)}`] : [];
}

function asCode(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : undefined;
}

/** Asks the cluster again and again until it is stopped. Returns how many requests were refused. */
function askWhile(port: number): () => Promise<number> {
  let refused = 0;
  const state = { isOver: false };
  const asking = (async () => {
    while (!state.isOver) {
      await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })
        .then((response) => response.text())
        .catch((error: unknown) => {
          // No process listens. A worker that ends while it answers resets the connection.
          if (asCode(error) === "ECONNREFUSED") refused += 1;
        });
      await pause();
    }
  })();
  return async () => {
    state.isOver = true;
    await asking;
    return refused;
  };
}

test(
  `${COUNT} histories: svcm never says that nothing is to be done while something else runs`,
  async () => {
    const ports = world.openPorts();
    const request = { environment: "production" };
    const plan = () => execute(rolloutPlan, ports, request, caller);
    const apply = () => execute(rolloutApply, ports, { ...request, allowDirty: true, minHealthyMs: 200 }, caller);
    const verdicts = { same: 0, changed: 0, unknown: 0 };
    const faults: string[] = [];
    await apply();

    const examine = async (story: string): Promise<void> => {
      const running = await settle(story);
      const runs = world.runs();
      const { steps, unknown } = await plan();
      const found: string[] = [];
      for (const name of SERVICES) {
        const own = steps.filter(({ app }) => app === name);
        const isUnknown = unknown.some(({ app }) => app === name);
        verdicts[own.length > 0 ? "changed" : isUnknown ? "unknown" : "same"] += 1;
        found.push(...faultsOf(name, running.get(name) ?? [], { why: own.map(({ why }) => why), isUnknown }));
      }
      if (steps.some(({ app }) => app === "nightly")) found.push("a step for the job");
      if (world.runs() !== runs) found.push("the job ran");
      for (const fault of found) tell(`${story}: ${fault}`);
    };
    const tell = (fault: string): void => {
      faults.push(fault);
      console.error(fault);
    };
    const applyAndExamine = async (story: string): Promise<void> => {
      const runs = world.runs();
      const { unknown } = await plan();
      const stop = askWhile(world.ports.web);
      await apply();
      const refused = await stop();
      if (refused > 0) tell(`${story}: the cluster refused ${refused} requests`);
      const after = await settle(story);
      for (const name of SERVICES.filter((one) => unknown.every(({ app }) => app !== one)))
        for (const { answer } of after.get(name) ?? [])
          if (asText(answer) !== asText(world.freshAnswer(name))) tell(`${story}: ${name} answers ${asText(answer)}`);
      if (world.runs() !== runs) tell(`${story}: the job ran`);
      const left = (await plan()).steps.filter(({ app }) => SERVICES.some((one) => one === app));
      if (left.length > 0) tell(`${story}: steps are left: ${JSON.stringify(left.map(({ app, why }) => [app, why]))}`);
      // The next history begins with a known state.
      for (const name of new Set(unknown.map(({ app }) => app))) await world.pm2("restart", name, "--update-env");
      world.commit("end");
      await settle(story);
    };

    for (let history = 0; history < COUNT; history += 1) {
      const random = randomNumbers(SEED + history);
      const told: string[] = [];
      for (let at = 0; at < LENGTH; at += 1) {
        const happening = happenings[Math.floor(random() * happenings.length)]!;
        told.push(happening.title);
        await happening.act(world, random);
        await examine(`seed ${SEED + history}: ${told.join("; ")}`);
      }
      await applyAndExamine(`seed ${SEED + history}: ${told.join("; ")}; apply`);
      if (history % 10 === 9) console.info(`${history + 1} histories, verdicts: ${JSON.stringify(verdicts)}`);
    }
    console.info(`verdicts: ${JSON.stringify(verdicts)}`);
    await ports.processes.close();
    expect(faults).toEqual([]);
  },
  COUNT * MAX_HISTORY_MS,
);
