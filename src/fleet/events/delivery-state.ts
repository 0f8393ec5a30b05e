import * as z from "zod/mini";
import type { DeliveryProgress, NodeRecord } from "../../core/index.ts";

/** `pending` may not have reached the stream completely; it is kept until the server has acknowledged everything. */
export interface DeliveryState {
  readonly given: DeliveryProgress;
  readonly pending: readonly NodeRecord[];
  /** 0 if the stream has no message of the node. */
  readonly lastSeq: number;
}

const schema = z.object({
  version: z.literal(1),
  given: z.object({ untilMs: z.number(), ids: z.array(z.string()) }),
  pending: z.array(z.custom<NodeRecord>((record) => typeof record === "object" && record !== null && "id" in record)),
  lastSeq: z.int(),
});

/** @returns `undefined` for a missing or damaged file */
export function parseDeliveryState(text: string | undefined): DeliveryState | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function renderDeliveryState({ given, pending, lastSeq }: DeliveryState): string {
  return `${JSON.stringify({ version: 1, given, pending, lastSeq })}\n`;
}
