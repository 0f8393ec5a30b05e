import type { CutWay } from "../../api/names.ts";
import { parseRecord } from "../../words/record.ts";

/** Written before each step of a rotation, so that a later run can finish or undo one that was killed. */
export interface RotationRecord {
  readonly version: 1;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly way: CutWay;
  /** Of the file, before the cut. */
  readonly size: number;
  /** The bytes that are cut off. */
  readonly cut: number;
  /** Bytes in the copy: up to the end of the line that the cut divides. */
  readonly end: number;
  /** The path of the copy, once the head is cut off. */
  readonly target: string;
  readonly compress: boolean;
  /** `copy`: the file is untouched. `cut`: it may be cut. `pack`: it is cut, and the copy has its name. */
  readonly phase: "copy" | "cut" | "pack";
}

export interface Journal {
  save(record: RotationRecord): Promise<void>;
  clear(): Promise<void>;
}

export function parseRotationRecord(text: string): RotationRecord | undefined {
  const record = parseRecord(text) as RotationRecord | undefined;
  return record?.version === 1 ? record : undefined;
}

export const NEWLINE = 0x0a;

/** The beginning of the log after the cut is the rest of a line, or, once that was blanked, line breaks. */
export function isRestOfLine(head: Uint8Array, rest: Uint8Array): boolean {
  return head.length === rest.length && head.every((byte, at) => byte === rest[at] || byte === NEWLINE);
}

/** @param lineEnd of the last line that may be cut off */
export function cutPlace(lineEnd: number, size: number, unit: number): number {
  const place = Math.floor(lineEnd / unit) * unit;
  // The kernel refuses to cut off everything.
  return place >= size ? place - unit : place;
}
