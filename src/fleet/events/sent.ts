/** The file in which a node keeps what it has sent. */
import * as z from "zod/mini";
import type { GivenOut, NodeRecord } from "../../core/index.ts";

/** `pending` was made and may not have reached the stream; it is kept until the server has acknowledged all of it. */
export interface SentState {
  readonly given: GivenOut;
  readonly pending: readonly NodeRecord[];
  /** The number of the node's newest message in the stream; 0 without one. */
  readonly lastSeq: number;
}

const schema = z.object({
  version: z.literal(1),
  given: z.object({ untilMs: z.number(), ids: z.array(z.string()) }),
  // They were validated when they were created.
  pending: z.array(z.custom<NodeRecord>((record) => typeof record === "object" && record !== null && "id" in record)),
  lastSeq: z.int(),
});

/** @returns `undefined` for a file that does not exist or that is damaged */
export function readSent(text: string | undefined): SentState | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function sentText({ given, pending, lastSeq }: SentState): string {
  return `${JSON.stringify({ version: 1, given, pending, lastSeq })}\n`;
}
