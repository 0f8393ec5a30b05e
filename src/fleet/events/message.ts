import * as z from "zod";
import { auditRecord } from "../../core/api/audit-record.ts";
import { eventBody } from "../../core/api/events.ts";
import type { NodeRecord, SentRecord } from "../../core/index.ts";
import type { StoredMessage } from "../link-events.ts";
import { MAX_RECORD_BYTES } from "../link-streams.ts";
import { encode } from "../wire.ts";

/** A node with another version may send further members, and a faulty node anything. */
const messageSchema = z.object({
  id: z.string().min(1).max(200),
  aheadMs: z.number(),
  event: eventBody.strip().optional(),
  audit: auditRecord.strip().optional(),
});

const TOO_LARGE = "The rest of this record is too large for the NATS server; the node has it.";

/** The stream refuses a larger message; its headers need some room. */
const MAX_BYTES = MAX_RECORD_BYTES - 512;

/** The longest parts of a larger record are removed. */
export function encodeRecord(record: NodeRecord, aheadMs: number): Uint8Array {
  const bytes = encode({ ...record, aheadMs });
  if (bytes.length <= MAX_BYTES) return bytes;
  const { id, event, audit } = record;
  if (event !== undefined) return encode({ id, aheadMs, event: { ...event, evidence: [TOO_LARGE] } });
  const { keys: _keys, processes: _processes, target: _target, ...rest } = audit ?? {};
  return encode({ id, aheadMs, audit: { ...rest, target: TOO_LARGE } });
}

/** @returns `undefined` if the message does not come from svcm */
export function decodeRecord({ node, data }: Pick<StoredMessage, "node" | "data">): SentRecord | undefined {
  try {
    const { id, aheadMs, event, audit } = messageSchema.parse(JSON.parse(new TextDecoder().decode(data)));
    return (event === undefined) === (audit === undefined) ? undefined : { node, id, aheadMs, event, audit };
  } catch {
    return undefined;
  }
}
