import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { ApplyFrame } from "../../../client/index.ts";
import type { Begun, RollbackPlan } from "../../../core/api/rollout-requests.ts";
import type { Plan, Release } from "../../../core/api/rollout.ts";
import { useConsole, type Console } from "../../console.ts";
import type { PlanChoices } from "../../data/api.ts";
import { LatestRequest, toProblem, type Problem } from "../../data/request-error.ts";
import { selectionPart } from "../../state/address.ts";
import { monitorOf } from "../monitoring/monitor.ts";
import { type Accepted, isPartial, requestOf, type Selected } from "./selection.ts";

export interface ApplyChoices extends Accepted {
  readonly allowDirty: boolean;
  readonly message: string;
}

const POLL_MS = 2_000;

export class Rollout {
  readonly plan = signal<Plan | undefined>();
  readonly choices = signal<PlanChoices>({});
  /** The apps that the user has selected or deselected. */
  readonly selected = signal<Selected>(new Map());
  readonly problem = signal<Problem | undefined>();
  /** True if a newer plan replaced the one that the user wanted to apply. */
  readonly isReplaced = signal(false);
  readonly releases = signal<readonly Release[]>([]);
  readonly current = signal<Release | undefined>();
  readonly confirming = signal<Plan | Release | undefined>();
  readonly refusal = signal<Problem | undefined>();
  readonly isSending = signal(false);
  readonly isRunning = computed(() => this.current.value?.outcome === "running");
  /** The newest release whose end has been shown. */
  readonly #ended = signal<string | undefined>();
  #isRepeating = false;
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
        this.selected.value = new Map();
      }),
      effect(() => {
        // The old plan is not the one of the new choices.
        void this.choices.value;
        this.plan.value = undefined;
      }),
      effect(() => {
        // Whichever answer shows the end of a release, the plan from before it is out of date.
        void [place.value, count.value, this.choices.value, this.#ended.value];
        if (!this.isRunning.peek()) void this.load();
      }),
      effect(() => {
        // PM2 was too busy, for example. The server can compute the plan again as soon as it counts the steps.
        const isPossible = typeof this.#feed.newest.value?.metrics?.ecosystem.planSteps === "number";
        if (isPossible) untracked(() => void this.#loadFailedPlan());
      }),
      effect(() => {
        const step = this.#feed.applied.value;
        if (step !== undefined && step !== before) untracked(() => void this.#receive(step));
      }),
      effect(() => {
        // Missed steps are not sent again, so the release is read.
        if (this.#feed.state.value === "live" && this.isRunning.peek()) void this.#loadReleases();
      }),
      effect(() => {
        // Another machine sends no steps, so they are read.
        if (this.#page.router.node === "" || !this.isRunning.value) return undefined;
        const timer = setInterval(() => void this.#loadReleases(), POLL_MS);
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

  /** Asks for the confirmation of the whole plan, or of the plan for the selected apps, which is read first. */
  async confirm(plan: Plan): Promise<void> {
    const selected = requestOf(plan, this.selected.value);
    if (selected === undefined) return void (this.confirming.value = plan);
    this.isSending.value = true;
    try {
      this.confirming.value = await this.#page.api.plan(this.environment.value, { ...this.choices.value, ...selected });
    } catch (error) {
      this.#page.toasts.error(error, "plan");
    } finally {
      this.isSending.value = false;
    }
  }

  cancel(): void {
    this.confirming.value = undefined;
    this.refusal.value = undefined;
  }

  async apply(plan: Plan, { message, ...accepted }: ApplyChoices): Promise<void> {
    const { environment, id, choices } = plan;
    const { service: _service, ...requested } = choices;
    const request = { environment, plan: id ?? "", ...requested, ...accepted, message: message.trim() || undefined };
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
      await (release === null ? this.load() : this.readRelease(release));
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
        this.plan.value = isPartial(plan) ? undefined : plan;
        this.confirming.value = undefined;
      }
      this.isReplaced.value = plan !== undefined;
    });
    if (plan !== undefined && isPartial(plan)) void this.#loadPlan();
  }

  async readRelease(id: string): Promise<void> {
    try {
      const release = await this.#page.api.release(id);
      // Answers may arrive out of order, or after the user has dismissed the release.
      if (id !== this.#ended.value) this.#show(release);
    } catch (error) {
      this.#page.toasts.error(error, "release");
    }
  }

  #show(release: Release): void {
    const isKnownEnd = release.id === this.#ended.value;
    // An answer from before the end may arrive after it.
    if (isKnownEnd && release.outcome === "running") return;
    batch(() => {
      this.current.value = release;
      if (isKnownEnd || release.outcome === "running") return;
      this.#ended.value = release.id;
      // The old plan stays hidden until the next one arrives, which offers other apps.
      this.plan.value = undefined;
      this.selected.value = new Map();
    });
  }

  /** The first frame lets the page read the release, and the others update it. Its end needs no further answer. */
  async #receive({ release, step, phase, outcome, code, reason }: ApplyFrame): Promise<void> {
    const { value: current } = this.current;
    if (current?.id !== release) return await this.readRelease(release);
    const steps = current.steps.map((one, at) =>
      at === step - 1 ? { ...one, phase, ...(reason && { reason }) } : one,
    );
    this.#show({ ...current, steps, ...(outcome && { outcome }), ...(code !== undefined && { code }) });
  }

  /** The next measurement does not abort it, or a slow server would never answer. */
  async #loadFailedPlan(): Promise<void> {
    const { status = 500 } = this.problem.value ?? { status: 200 };
    if (status < 500 || this.#isRepeating || this.isRunning.value) return;
    this.#isRepeating = true;
    await this.#loadPlan();
    this.#isRepeating = false;
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
