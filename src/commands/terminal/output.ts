/**
 * Writes to the terminal without building Node's stream objects, which would cost a short command a
 * tenth of its start. A slow reader is waited for, so nothing is lost when the process ends.
 */
import { writeSync } from "node:fs";

const STDOUT = 1;
const STDERR = 2;
const RETRY_MS = 5;

/** Writes the whole text; false where nobody reads standard output any more. */
export function writeOut(text: string): boolean {
  try {
    writeWhole(STDOUT, text);
    return true;
  } catch (error) {
    if (isClosedPipe(error)) return false;
    throw error;
  }
}

/** A diagnostic that cannot be written has nowhere else to go. */
export function writeErr(text: string): void {
  try {
    writeWhole(STDERR, text);
  } catch {
    // Nobody is there to be told.
  }
}

function writeWhole(fd: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSome(fd, rest));
}

/** Writes what the descriptor takes. One that somebody set to non-blocking may take nothing now. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if (!hasCode(error, "EAGAIN")) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    return 0;
  }
}

function isClosedPipe(error: unknown): boolean {
  return hasCode(error, "EPIPE") || hasCode(error, "EOF");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
