import type { Release } from "../api/rollout.ts";

import type { Releases, HasReleases } from "./port-releases.ts";
import { toJournals, type AppliedState, findAppliedState, toRelease } from "./release.ts";

/** @throws {SvcmError} PM2_FAILED with the code `PM2_HOME_UNUSABLE` */
export async function readAppliedState({ releases }: HasReleases): Promise<AppliedState> {
  return findAppliedState(toJournals(await releases.list()));
}

export async function listReleases(releases: Pick<Releases, "lockedSince" | "list">): Promise<Release[]> {
  const before = await releases.lockedSince();
  const journals = toJournals(await releases.list());
  // A release may have begun between the two calls.
  const heldSince = before ?? (await releases.lockedSince());
  return journals.map((journal, at) => toRelease(journal, at === 0 ? heldSince : null));
}
