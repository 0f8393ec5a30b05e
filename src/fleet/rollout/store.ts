/** The newest valid record of the users who may roll out, so what other keys write does not hide it. */
import {
  isGranted,
  judgeRecord,
  rightsOf,
  rolloutApply,
  SvcmError,
  type FleetRollout,
  type NatsProject,
  type UnreadableRollout,
} from "../../core/index.ts";
import { unreachableError } from "../link-api.ts";
import type { WrittenRecord } from "../../core/nodes/rollout.ts";
import type { RolloutRecords } from "../link-events.ts";

export interface IgnoredRecord {
  readonly user: string;
  readonly reason: string;
}

export interface PresentRollout {
  /** 0 without a valid record. */
  readonly revision: number;
  /** Absent without a valid record, and if another version wrote it. */
  readonly rollout?: FleetRollout;
  readonly text?: string;
  readonly unreadable?: UnreadableRollout;
  /** Newer records that do not count. */
  readonly ignored: readonly IgnoredRecord[];
}

/** All throw FLEET_FAILED, FORBIDDEN. */
export interface RolloutStore {
  read(environment: string): Promise<PresentRollout>;
  /**
   * Replaces only the given revision; 0 means no valid record.
   * @returns the new revision, or `undefined` if the record has another one
   * @throws {SvcmError} FLEET_FAILED if it is unknown whether the record was replaced, FORBIDDEN
   */
  replace(environment: string, text: string, revision: number): Promise<number | undefined>;
}

interface StoreOptions {
  readonly records: RolloutRecords;
  /** Read each time, because svcm.yaml may change. */
  readonly nats: () => Promise<NatsProject | undefined>;
  readonly services: readonly string[];
  readonly user: string;
}

/** Another user who may roll out may write without end. */
const MAX_ATTEMPTS = 20;

export function openRolloutStore({ records, nats, services, user }: StoreOptions): RolloutStore {
  const read = async (environment: string): Promise<PresentRollout> => {
    const writers = listWriters(await nats(), environment);
    const found = await Promise.all(
      writers.map(async ([name, limits]) => {
        const newest = await records.newest(environment, name);
        return newest === undefined ? NOTHING : await findValid(newest, limits);
      }),
    );
    const valid = found.flatMap((one) => one.valid ?? []).toSorted((a, b) => b.revision - a.revision)[0];
    const ignored = found.flatMap((one) => one.ignored).filter(({ seq }) => seq > (valid?.revision ?? 0));
    return { revision: 0, ...valid, ignored: ignored.map(({ user: writer, reason }) => ({ user: writer, reason })) };

    async function findValid(newest: WrittenRecord, limits: Limits): Promise<Found> {
      const place = { environment, services };
      const judged = judgeRecord(newest, place, limits);
      if (judged.is !== "void") return { valid: { ...judged, revision: newest.seq, text: newest.text }, ignored: [] };
      const older = (await records.all(environment, newest.user)).toReversed();
      const skipped = [{ user: newest.user, seq: newest.seq, reason: judged.reason }];
      for (const record of older) {
        const one = judgeRecord(record, place, limits);
        if (one.is !== "void") return { valid: { ...one, revision: record.seq, text: record.text }, ignored: skipped };
      }
      return { ignored: skipped };
    }
  };
  return {
    read,
    async replace(environment, text, revision) {
      if (!listWriters(await nats(), environment).some(([name]) => name === user))
        throw new SvcmError("FORBIDDEN", {
          code: "NODE_FORBIDDEN",
          details: `svcm.yaml does not permit ${user} to roll out ${environment}.`,
        });
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        // Read before the records, so that a later record makes the write fail.
        const last = await records.lastSeq(environment);
        const present = await read(environment);
        if (present.revision !== revision) return undefined;
        const seq = await records.write(environment, user, text, last);
        if (seq !== undefined) return seq;
      }
      throw unreachableError("Other users write to the record of the rollout all the time.");
    },
  };
}

interface Limits {
  readonly services?: readonly string[] | undefined;
}

interface Found {
  readonly valid?: Omit<PresentRollout, "ignored">;
  readonly ignored: readonly (IgnoredRecord & { readonly seq: number })[];
}

const NOTHING: Found = { ignored: [] };

/** The NATS server has permitted only these to write; svcm.yaml may have changed since. */
export function listWriters(nats: Pick<NatsProject, "users"> | undefined, environment: string) {
  return Object.entries(nats?.users ?? {}).filter(
    ([, { role, environments }]) =>
      isGranted(rightsOf[role], rolloutApply.access) && (environments?.includes(environment) ?? true),
  );
}
