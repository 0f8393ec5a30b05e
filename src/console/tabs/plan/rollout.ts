import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { ApplyFrame } from "../../../client/index.ts";
import type { Begun } from "../../../core/api/rollout-requests.ts";
import type { Plan, Release, RollbackPlan } from "../../../core/api/rollout.ts";
import { useConsole, type Console } from "../../console.ts";
import type { PlanChoices } from "../../data/api.ts";
import { LatestRequest } from "../../data/latest-request.ts";
import { toProblem, type Problem } from "../../data/request-error.ts";
import { selectionPart } from "../../state/address.ts";
import { monitorOf } from "../monitoring/monitor.ts";

export interface ApplyChoices {
  readonly allowDirty: boolean;
  readonly message: string;
}

const POLL_MS = 2_000;

export class Rollout {
  readonly plan = signal<Plan | undefined>();
  readonly choices = signal<PlanChoices>({});
  readonly problem = signal<Problem | undefined>();
  /** True if a newer plan replaced the one that the user wanted to apply. */
  readonly isReplaced = signal(false);
  readonly releases = signal<readonly Release[]>([]);
  readonly current = signal<Release | undefined>();
  readonly confirming = signal<Plan | Release | undefined>();
  readonly refusal = signal<Problem | undefined>();
  readonly isSending = signal(false);
  readonly isRunning = computed(() => this.current.value?.outcome === "running");
  /** The release whose end has been shown. */
  #ended?: string;
  readonly #page: Console;
  readonly #planning = new LatestRequest();
  readonly #listing = new LatestRequest();

  constructor(page: Console) {
    this.#page = page;
  }

  get environment() {
    return this.#feed.environment;
  }

  get #feed() {
    return monitorOf(this.#page).feed;
  }

  /** Reads the plan again when the processes or the environment change. */
  open(): () => void {
    const count = computed(() => this.#feed.newest.value?.metrics?.ecosystem.planSteps);
    const before = this.#feed.applied.peek();
    const place = computed(() => `${this.environment.value} ${this.#page.service.value}`);
    const ends = [
      this.#feed.open(),
      effect(() => {
        void place.value;
        this.plan.value = undefined;
      }),
      effect(() => {
        void [place.value, count.value, this.choices.value];
        if (!this.isRunning.peek()) void this.load();
      }),
      effect(() => {
        const step = this.#feed.applied.value;
        if (step !== undefined && step !== before) untracked(() => void this.#receive(step));
      }),
      effect(() => {
        if (this.#feed.state.value === "live" && this.isRunning.peek()) void this.#catchUp();
      }),
      effect(() => {
        // Another machine sends no steps, so they are read.
        if (this.#page.router.node === "" || !this.isRunning.value) return undefined;
        const timer = setInterval(() => void this.#catchUp(), POLL_MS);
        return () => clearInterval(timer);
      }),
    ];
    return () => {
      for (const end of ends) end();
      this.#planning.abort();
      this.#listing.abort();
    };
  }

  async load(): Promise<void> {
    await Promise.all([this.#loadPlan(), this.#loadReleases()]);
  }

  async apply(plan: Plan, { allowDirty, message }: ApplyChoices): Promise<void> {
    const { environment, id, choices } = plan;
    const { prune, preflight, restart } = choices;
    const request = {
      environment,
      plan: id ?? "",
      prune,
      preflight,
      restart,
      allowDirty,
      message: message.trim() || undefined,
    };
    await this.#send(() => this.#page.api.apply(request));
  }

  async undo({ release, id }: RollbackPlan): Promise<void> {
    await this.#send(() => this.#page.api.rollback(release, id));
  }

  async #send(request: () => Promise<Begun>): Promise<void> {
    if (this.isSending.value) return;
    this.isSending.value = true;
    this.refusal.value = undefined;
    try {
      const { release } = await request();
      this.confirming.value = undefined;
      this.isReplaced.value = false;
      await (release === null ? this.load() : this.#readRelease(release));
    } catch (error) {
      this.#showRefusal(toProblem(error));
    } finally {
      this.isSending.value = false;
    }
  }

  #showRefusal(problem: Problem): void {
    const { plan } = problem;
    batch(() => {
      if (plan === undefined) this.refusal.value = problem;
      else {
        this.plan.value = plan;
        this.confirming.value = undefined;
      }
      this.isReplaced.value = plan !== undefined;
    });
  }

  /** Missed steps are not sent again, so the release is read. */
  async #catchUp(): Promise<void> {
    await this.#loadReleases();
    if (!this.isRunning.value) await this.#loadPlan();
  }

  async #readRelease(id: string): Promise<void> {
    try {
      const release = await this.#page.api.release(id);
      // Answers may arrive out of order, or after the user has dismissed the release.
      if (id === this.#ended) return;
      batch(() => {
        this.#show(release);
        // The old plan stays hidden until the next one arrives.
        if (release.outcome !== "running") this.plan.value = undefined;
      });
      if (!this.isRunning.value) await this.load();
    } catch (error) {
      this.#page.toasts.error(error, "release");
    }
  }

  #show(release: Release): void {
    this.current.value = release;
    if (release.outcome !== "running") this.#ended = release.id;
  }

  /** Reads the release when it begins and ends; the frames between update its steps. */
  async #receive({ release, step, phase, outcome, reason }: ApplyFrame): Promise<void> {
    const { value: current } = this.current;
    if (current?.id !== release || outcome !== undefined) return await this.#readRelease(release);
    const steps = current.steps.map((one, at) =>
      at === step - 1 ? { ...one, phase, ...(reason && { reason }) } : one,
    );
    this.current.value = { ...current, steps };
  }

  async #loadPlan(): Promise<void> {
    const result = await this.#planning.send((aborted) =>
      this.#page.api.plan(this.environment.value, this.choices.value, aborted),
    );
    if (result === undefined) return;
    batch(() => {
      this.problem.value = result.problem;
      this.plan.value = result.answer;
    });
  }

  async #loadReleases(): Promise<void> {
    const result = await this.#listing.send((aborted) => this.#page.api.releases(aborted));
    if (result?.answer === undefined) return;
    const [newest] = (this.releases.value = result.answer.releases);
    const { value: current } = this.current;
    // The release began while the page was elsewhere, or ended while the connection was lost.
    if (newest && (newest.outcome === "running" || newest.id === current?.id)) this.#show(newest);
  }
}

export function rolloutOf(page: Console): Rollout {
  return page.getOrCreate("plan", () => {
    const rollout = new Rollout(page);
    page.router.keep(
      selectionPart(
        { name: "environment", tab: "plan" },
        () => rollout.environment.value,
        (name) => monitorOf(page).selectEnvironment(name),
      ),
    );
    return rollout;
  });
}

export function useRollout(): Rollout {
  return rolloutOf(useConsole());
}
