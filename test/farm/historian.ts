/** Looks at a world after each event, with svcm and without it, and reports what svcm says wrongly. */
import { execute, rolloutApply, rolloutPlan, type Caller, type Ports } from "../../src/core/index.ts";
import { pause } from "../support/pause.ts";
import { SERVICES, World, type Answer, type Service } from "./world.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
const REQUEST = { environment: "production" };
const MAX_REST_MS = 120_000;
const MAX_ANSWER_MS = 10_000;

interface Running {
  readonly pid: number;
  readonly answer: Answer | undefined;
}

type Observed = ReadonlyMap<Service, readonly Running[]>;

interface Notes {
  readonly verdicts: Record<"same" | "changed" | "unknown", number>;
  readonly tell: (fault: string) => void;
}

export class Historian {
  readonly world: World;
  readonly #ports: Ports;
  readonly #notes: Notes;

  private constructor(world: World, notes: Notes) {
    this.world = world;
    this.#ports = world.openPorts();
    this.#notes = notes;
  }

  static async begin(notes: Notes): Promise<Historian> {
    const historian = new Historian(await World.begin(), notes);
    await historian.#apply();
    return historian;
  }

  async end(): Promise<void> {
    await this.#ports.processes.close();
    await this.world.end();
  }

  /** A stale service has a step or a doubt in the plan; any other has no step. */
  async examine(story: string): Promise<void> {
    const { verdicts, tell } = this.#notes;
    const running = await this.#settle();
    const runs = this.world.runs();
    const { steps, unknown } = await this.#plan();
    const fresh = await this.world.freshAnswers();
    for (const name of SERVICES) {
      const why = steps.filter(({ app }) => app === name).map((step) => step.why);
      const isUnknown = unknown.some(({ app }) => app === name);
      verdicts[why.length > 0 ? "changed" : isUnknown ? "unknown" : "same"] += 1;
      const expected = asText(fresh.get(name));
      const now = (running.get(name) ?? []).map(({ answer }) => asText(answer));
      const isStale = now.some((answer) => answer !== expected);
      if (isStale && why.length === 0 && !isUnknown)
        tell(`${story}: nothing to do for ${name}, which answers ${now.join(" and ")} instead of ${expected}`);
      if (!isStale && why.length > 0) tell(`${story}: a needless step for ${name}: ${JSON.stringify(why)}`);
    }
    if (steps.some(({ app }) => app === "nightly")) tell(`${story}: a step for the job`);
    if (this.world.runs() !== runs) tell(`${story}: the job ran`);
  }

  async applyAndExamine(story: string): Promise<void> {
    const { tell } = this.#notes;
    const runs = this.world.runs();
    const { unknown } = await this.#plan();
    const stop = askWhile(this.world.ports.web);
    const failure = await this.#apply().catch((error: unknown) => error);
    const refused = await stop();
    if (failure !== undefined) throw failure;
    if (refused > 0) tell(`${story}: the cluster refused ${refused} requests`);
    const after = await this.#settle();
    const fresh = await this.world.freshAnswers();
    // An apply leaves an app of which it does not know whether it runs its code.
    const known = SERVICES.filter((one) => unknown.every(({ app }) => app !== one));
    for (const name of known)
      for (const { answer } of after.get(name) ?? [])
        if (asText(answer) !== asText(fresh.get(name))) tell(`${story}: ${name} answers ${asText(answer)}`);
    if (this.world.runs() !== runs) tell(`${story}: the job ran`);
    const left = (await this.#plan()).steps.filter(({ app }) => known.some((one) => one === app));
    if (left.length > 0) tell(`${story}: steps are left: ${JSON.stringify(left.map(({ app, why }) => [app, why]))}`);
    // The next history begins with a known state.
    for (const name of new Set(unknown.map(({ app }) => app))) await this.world.pm2("restart", name, "--update-env");
    this.world.commit("end");
    await this.#settle();
  }

  #plan() {
    return execute(rolloutPlan, this.#ports, REQUEST, caller);
  }

  async #apply(): Promise<void> {
    await execute(rolloutApply, this.#ports, { ...REQUEST, allowDirty: true, minHealthyMs: 200 }, caller);
  }

  /** Waits until PM2 and the processes are at rest: each listed process has written its answer. */
  async #settle(): Promise<Observed> {
    const deadline = performance.now() + MAX_REST_MS;
    for (;;) {
      const observed = await this.#observe();
      const services = [...observed.values()];
      if (services.every((all) => all.length > 0 && all.every(({ answer }) => answer !== undefined))) return observed;
      if (performance.now() > deadline) throw new Error(`nothing comes to rest: ${await this.#describe()}`);
      await pause();
      await pause();
    }
  }

  async #observe(): Promise<Observed> {
    const list = await this.world.list();
    return new Map(
      SERVICES.map((name): [Service, Running[]] => [
        name,
        list.filter((one) => one.name === name).map(({ pid }) => ({ pid, answer: this.world.answerOf(name, pid) })),
      ]),
    );
  }

  async #describe(): Promise<string> {
    const list = await this.world.list();
    return list.map(({ name, pid, pm2_env }) => `${name} ${pid} ${String(pm2_env["status"])}`).join(", ");
  }
}

const asText = (answer: Answer | undefined): string => JSON.stringify(answer ?? null);

function asCode(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : undefined;
}

/** Asks the cluster again and again until it is stopped. Returns how many requests were refused. */
function askWhile(port: number): () => Promise<number> {
  let refused = 0;
  const state = { isOver: false };
  const asking = (async () => {
    while (!state.isOver) {
      // PM2's daemon never answers a connection that it handed over to a worker that has just ended.
      const signal = AbortSignal.timeout(MAX_ANSWER_MS);
      await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" }, signal })
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
