import { SvcmError } from "../core/index.ts";

/** Where an answer goes on: in the list of the operation, and at a line of its page. */
export interface Position {
  readonly page?: string | undefined;
  readonly line: number;
}

const FORM = /^l(\d{1,7})(?:\.([\w.-]{1,7000}))?$/;

export function writeCursor({ page, line }: Position): string {
  return page === undefined ? `l${line}` : `l${line}.${page}`;
}

/** @throws {SvcmError} INVALID_REQUEST */
export function readCursor(cursor: unknown): Position {
  if (cursor === undefined) return { line: 0 };
  const [, line, page] = (typeof cursor === "string" ? FORM.exec(cursor) : null) ?? [];
  if (line === undefined)
    throw new SvcmError("INVALID_REQUEST", { details: "cursor: accepted is the one of the answer before." });
  return { line: Number(line), page };
}
