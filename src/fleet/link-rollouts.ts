import { JetStreamApiError, StorageType } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { SvcmError } from "../core/index.ts";
import { ROLLOUT_KEY, ROLLOUTS_BUCKET } from "./subjects.ts";

/** The one record of rollouts on the NATS server: lock and journal. */
export interface RolloutRecord {
  /** @returns `undefined` if there is none @throws {SvcmError} FLEET_FAILED, FORBIDDEN */
  read(): Promise<{ readonly text: string; readonly revision: number } | undefined>;
  /**
   * Replaces the record that has the revision; 0 stands for no record.
   *
   * @returns the new revision, or `undefined` if the record has another one
   * @throws {SvcmError} FLEET_FAILED if it may have been replaced or not, START_REFUSED without a bucket, FORBIDDEN
   */
  replace(text: string, revision: number): Promise<number | undefined>;
  /** Makes the bucket. @throws {SvcmError} FLEET_FAILED; FORBIDDEN if the user is not an admin */
  setUp(): Promise<void>;
}

type Exchange = <T>(send: () => Promise<T>) => Promise<T>;

const NO_STREAM = 10_059;
const OTHER_REVISION = 10_071;

export function rolloutRecord(connection: NatsConnection, exchange: Exchange): RolloutRecord {
  const opened = () => new Kvm(connection).open(ROLLOUTS_BUCKET);
  return {
    read: () =>
      exchange(async () => {
        try {
          const entry = await (await opened()).get(ROLLOUT_KEY);
          return entry?.operation === "PUT" ? { text: entry.string(), revision: entry.revision } : undefined;
        } catch (error) {
          if (isOf(error, NO_STREAM)) return undefined;
          throw error;
        }
      }),
    replace: (text, revision) =>
      exchange(async () => {
        try {
          return await (await opened()).put(ROLLOUT_KEY, text, { previousSeq: revision });
        } catch (error) {
          if (isOf(error, OTHER_REVISION)) return undefined;
          if (await hasNoBucket(connection)) throw notSetUp();
          throw error;
        }
      }),
    // On disk, because the record outlives the server's memory.
    setUp: () =>
      exchange(async () => {
        const options = { history: 1, storage: StorageType.File, max_bytes: 64 * 1024 * 1024 };
        await new Kvm(connection).create(ROLLOUTS_BUCKET, options);
      }),
  };
}

/** False if nothing answers: the server may be starting. */
async function hasNoBucket(connection: NatsConnection): Promise<boolean> {
  try {
    await (await new Kvm(connection).open(ROLLOUTS_BUCKET)).get(ROLLOUT_KEY);
    return false;
  } catch (error) {
    return isOf(error, NO_STREAM);
  }
}

function notSetUp(): SvcmError {
  return new SvcmError("START_REFUSED", {
    code: "ROLLOUT_NOT_SET_UP",
    details: "The NATS server has no bucket for the lock of rollouts.",
    hint: "An admin makes it once: svcm nats setup",
  });
}

function isOf(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
