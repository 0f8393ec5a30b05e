import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { requireStream, hasCode, type Exchange } from "./link-streams.ts";
import { ROLLOUT_KEY, ROLLOUTS_BUCKET, ROLLOUTS_STREAM } from "./subjects.ts";

/** The single record is both lock and journal. */
export interface RolloutRecord {
  /** @returns `undefined` if there is no record @throws {SvcmError} FLEET_FAILED, FORBIDDEN */
  read(): Promise<{ readonly text: string; readonly revision: number } | undefined>;
  /**
   * Replaces only the given revision; 0 means no record.
   *
   * @returns the new revision, or `undefined` if the record has another one
   * @throws {SvcmError} FLEET_FAILED if it is unknown whether the record was replaced, FORBIDDEN
   */
  replace(text: string, revision: number): Promise<number | undefined>;
}

const WRONG_REVISION = 10_071;

export function openRolloutRecord(connection: NatsConnection, exchange: Exchange): RolloutRecord {
  const opened = () => new Kvm(connection).open(ROLLOUTS_BUCKET);
  const within = requireStream(connection, ROLLOUTS_STREAM, exchange);
  return {
    read: () =>
      within(async () => {
        const entry = await (await opened()).get(ROLLOUT_KEY);
        return entry?.operation === "PUT" ? { text: entry.string(), revision: entry.revision } : undefined;
      }),
    replace: (text, revision) =>
      within(async () => {
        try {
          return await (await opened()).put(ROLLOUT_KEY, text, { previousSeq: revision });
        } catch (error) {
          if (hasCode(error, WRONG_REVISION)) return undefined;
          throw error;
        }
      }),
  };
}
