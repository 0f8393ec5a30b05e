import type { KeptCode, Release } from "../../core/api/rollout.ts";
import type { RolloutStep } from "../../core/index.ts";
import { staleReason, type Fence } from "../../core/nodes/rollout.ts";
import type { RolloutStore } from "./store.ts";
import { movedOnError as refusal, readRollout } from "./record.ts";

interface StepRequest {
  readonly node: string;
  readonly user: string;
  readonly operation: string;
  readonly link: { readonly rollouts: RolloutStore };
}

/** The node reads the record itself, directly before the first effect. */
export function createRolloutStep(fence: Fence, { link, ...request }: StepRequest): RolloutStep {
  return {
    rollout: fence.rollout,
    step: fence.step,
    async confirm() {
      const why = staleReason(await readRollout(link, fence.environment), { ...fence, ...request });
      if (why !== undefined) throw refusal(`${why} Nothing was changed.`);
    },
  };
}

/** A repeated request waits for the running step. After a restart of the node, the journal has the result. */
export class RunningSteps {
  readonly #runs = new Map<string, Promise<unknown>>();

  join<T>({ rollout, step }: RolloutStep, run: () => Promise<T>): Promise<T> {
    const key = `${rollout} ${step}`;
    const running = this.#runs.get(key);
    if (running !== undefined) return running as Promise<T>;
    const started = run().finally(() => this.#runs.delete(key));
    this.#runs.set(key, started);
    return started;
  }
}

export interface StepResult {
  readonly release: string | null;
  readonly keptCode?: KeptCode;
}

export function pickRelease(output: unknown): StepResult {
  const { id, release, keptCode } = output as Partial<Pick<Release, "id" | "keptCode">> & {
    readonly release?: Pick<Release, "id"> | null;
  };
  return { release: id ?? release?.id ?? null, ...(keptCode !== undefined && { keptCode }) };
}
