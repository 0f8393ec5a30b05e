import type { HasReleases } from "../port-releases.ts";
import { foreignCode } from "../../api/code.ts";
import type { Release } from "../../api/rollout.ts";
import type { RolloutStep } from "../../access/caller.ts";
import { SvcmError } from "../../api/errors.ts";

import { toJournals, toRelease, type Journal, type ReleaseEvent } from "../release.ts";

/** Call it under the apply lock. @throws {SvcmError} APPLY_REVERTED, APPLY_HALF if that was the outcome of the step */
export async function findRecordedStep(
  { releases }: HasReleases,
  step: RolloutStep | undefined,
): Promise<Release | undefined> {
  if (step === undefined) return undefined;
  const journals = toJournals(await releases.list());
  const found = journals.find(({ head: { rollout } }) => rollout?.id === step.rollout && rollout.step === step.step);
  if (found === undefined) return undefined;
  const release = toRelease(found, null);
  const { id, outcome, code } = release;
  if (outcome === "applied") return release;
  throw new SvcmError(outcome === "half" ? "APPLY_HALF" : "APPLY_REVERTED", {
    ...(code !== undefined && { code: foreignCode(code) }),
    details: `This step was already carried out: release ${id} is ${outcome}.`,
    hint: `Read the release: svcm releases show ${id}`,
  });
}

/** @throws {SvcmError} NOTHING_TO_ROLL_BACK */
export async function findReleaseOfRollout({ releases }: HasReleases, step: RolloutStep): Promise<string> {
  const effective = findRolloutRelease(await releases.list(), step);
  if (effective !== undefined) return effective.head.id;
  throw new SvcmError("NOTHING_TO_ROLL_BACK", { details: `The rollout ${step.rollout} has changed nothing here.` });
}

export function findRolloutRelease(
  lists: readonly (readonly ReleaseEvent[])[],
  { rollout }: Pick<RolloutStep, "rollout">,
): Journal | undefined {
  const journals = toJournals(lists).filter(({ head }) => head.rollout?.id === rollout);
  return journals.find((journal) => {
    const { outcome, undoes } = toRelease(journal, null);
    return undoes === undefined && (outcome === "applied" || outcome === "half");
  });
}
