import type { FleetRollout } from "../../core/api/fleet-rollout.ts";
import { SvcmError, type Ports } from "../../core/index.ts";
import { renderDuration } from "../../core/words/time.ts";
import { isUnreachable } from "../link-api.ts";
import type { PresentRollout, RolloutStore } from "./store.ts";

export interface RecordedRollout {
  readonly rollout: FleetRollout;
  readonly revision: number;
}

interface RolloutLink {
  readonly rollouts: RolloutStore;
}

const RETRY_INTERVAL_MS = 500;

/** @returns `undefined` if there was no rollout yet @throws {SvcmError} FLEET_FAILED */
export async function readRollout(link: RolloutLink, environment: string): Promise<RecordedRollout | undefined> {
  return toRecorded(await link.rollouts.read(environment));
}

/** @throws {SvcmError} FLEET_FAILED with ROLLOUT_UNREADABLE */
export function toRecorded({ rollout, revision, unreadable }: PresentRollout): RecordedRollout | undefined {
  if (unreadable === undefined) return rollout && { rollout, revision };
  throw new SvcmError("FLEET_FAILED", {
    code: "ROLLOUT_UNREADABLE",
    details: `This svcm cannot read the rollout ${unreadable.id}, which ${unreadable.owner} has written with another version.`,
    hint: "Use the version that began it, which svcm nodes list shows, or leave every node as it is: svcm rollout unlock",
  });
}

/**
 * Takes the lock if the record has the given revision; 0 means no record.
 * @throws {SvcmError} APPLY_LOCKED if another svcm process was faster
 */
export async function replaceRollout(
  link: RolloutLink,
  rollout: FleetRollout,
  { revision, now }: { readonly revision: number; readonly now: number },
): Promise<RecordedRollout> {
  const replaced = await link.rollouts.replace(rollout.environment, JSON.stringify(rollout), revision);
  if (replaced !== undefined) return { rollout, revision: replaced };
  const other = await readRollout(link, rollout.environment);
  throw other === undefined
    ? movedOnError("The record of the rollout does not count any more, for example because svcm.yaml has changed.")
    : lockedError(other.rollout, now);
}

/**
 * Without a server, tries for `patienceMs`. After a lost reply, the record may already have this text.
 * @throws {SvcmError} APPLY_LOCKED with ROLLOUT_MOVED_ON, FLEET_FAILED
 */
export async function replaceWithRetry(
  { link, ports, patienceMs }: { readonly link: RolloutLink; readonly ports: Ports; readonly patienceMs: number },
  rollout: FleetRollout,
  revision: number,
): Promise<RecordedRollout> {
  const text = JSON.stringify(rollout);
  const deadline = ports.clock.elapsed() + patienceMs;
  for (;;) {
    try {
      const replaced = await link.rollouts.replace(rollout.environment, text, revision);
      if (replaced !== undefined) return { rollout, revision: replaced };
      const now = await link.rollouts.read(rollout.environment);
      if (now?.text === text) return { rollout, revision: now.revision };
      throw movedOnError("Another svcm has taken over the rollout, or has ended it.");
    } catch (error) {
      if (!isUnreachable(error) || ports.clock.elapsed() >= deadline) throw error;
      await ports.clock.sleep(RETRY_INTERVAL_MS);
    }
  }
}

export function movedOnError(details: string): SvcmError {
  return new SvcmError("APPLY_LOCKED", {
    code: "ROLLOUT_MOVED_ON",
    details,
    hint: "See its state: svcm rollout status",
  });
}

export function lockedError({ owner, message, nodes, startedAt, environment }: FleetRollout, now: number): SvcmError {
  const what = message === undefined ? "a change" : JSON.stringify(message);
  return new SvcmError("APPLY_LOCKED", {
    code: "ROLLOUT_LOCKED",
    details: `${owner} rolls out ${what} to ${nodes.map(({ node }) => node).join(", ")} (begun ${renderAge(startedAt, now)}). Accepted: one rollout of ${environment} at a time.`,
    hint: "See its state: svcm rollout status",
  });
}

/** For example `3m 5s ago`. Clocks may differ, so a negative age becomes zero. */
export function renderAge(at: string, now: number): string {
  return `${renderDuration(Math.max(0, now - Date.parse(at)))} ago`;
}
