import type { RolloutStep } from "../../core/index.ts";
import { staleReason, type Fence } from "../../core/nodes/fence.ts";
import type { FleetLink } from "../link.ts";
import { movedOn as refusal, readRollout } from "./record.ts";

interface Asked {
  readonly node: string;
  readonly user: string;
  readonly operation: string;
  readonly link: Pick<FleetLink, "rollouts">;
}

/** The node reads the record itself, directly before the first effect. */
export function stepOf(fence: Fence, { link, ...asked }: Asked): RolloutStep {
  return {
    rollout: fence.rollout,
    step: fence.step,
    async confirm() {
      const why = staleReason(await readRollout(link), { ...fence, ...asked });
      if (why !== undefined) throw refusal(`${why} Nothing was changed.`);
    },
  };
}

/** A repeated request waits for the running step. After a restart of the node, the journal has the result. */
export class RunningSteps {
  readonly #running = new Map<string, Promise<unknown>>();

  join<T>({ rollout, step }: RolloutStep, run: () => Promise<T>): Promise<T> {
    const key = `${rollout} ${step}`;
    const present = this.#running.get(key);
    if (present !== undefined) return present as Promise<T>;
    const begun = run().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}

/** Drops the plan, which may be large. */
export function releaseIn(output: unknown): { readonly release: string | null } {
  const { id, release } = output as { readonly id?: string; readonly release?: { readonly id: string } | null };
  return { release: id ?? release?.id ?? null };
}
