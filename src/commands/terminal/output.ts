/**
 * Writes to the terminal without building Node's stream objects, which would cost a short command a
 * tenth of its start. A slow reader is waited for, so nothing is lost when the process ends.
 */
import { fstatSync, writeSync } from "node:fs";
import { TerminalFileError } from "./errors.ts";

export const STDOUT = 1;
export const STDERR = 2;
const RETRY_MS = 5;
const CLOSED = new Set(["EPIPE", "EOF"]);

/** Writes the whole text. Returns false if standard output is closed. @throws {TerminalFileError} */
export function writeOut(text: string): boolean {
  try {
    writeWhole(STDOUT, text);
    return true;
  } catch (error) {
    const { code = "EUNKNOWN", message } = error as NodeJS.ErrnoException;
    if (CLOSED.has(code)) return false;
    throw new TerminalFileError(code, "standard output", message);
  }
}

/** True for a device such as a terminal, false for a file and a pipe. */
export function isDevice(fd: number): boolean {
  return fstatSync(fd).isCharacterDevice();
}

/** A diagnostic that cannot be written has nowhere else to go. */
export function writeErr(text: string): void {
  try {
    writeWhole(STDERR, text);
  } catch {
    // Standard error is closed.
  }
}

function writeWhole(fd: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSome(fd, rest));
}

/** Writes as much as the descriptor takes. A non-blocking one may take nothing now. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    return 0;
  }
}
