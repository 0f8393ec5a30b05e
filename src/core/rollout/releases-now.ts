import type { Release } from "../api/rollout.ts";
import type { Ports } from "../ports/index.ts";
import type { Releases } from "../ports/releases.ts";
import { journalsOf, type Left, leftBy, releaseOf } from "./release.ts";

/** @throws {SvcmError} PM2_FAILED with the code `PM2_HOME_UNUSABLE` */
export async function leftNow({ releases }: Pick<Ports, "releases">): Promise<Left> {
  return leftBy(journalsOf(await releases.list()));
}

/** Newest first. Only the newest can still be running. */
export async function keptReleases(releases: Pick<Releases, "lockedSince" | "list">): Promise<Release[]> {
  const before = await releases.lockedSince();
  const journals = journalsOf(await releases.list());
  // A release may have begun between the two calls.
  const heldSince = before ?? (await releases.lockedSince());
  return journals.map((journal, at) => releaseOf(journal, at === 0 ? heldSince : null));
}
