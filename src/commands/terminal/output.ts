/** Node's stream objects would take a tenth of a short command's start. Writing to a slow reader blocks. */
import { fstatSync, writeSync } from "node:fs";
import { TerminalFileError } from "./errors.ts";

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
/** As a shell reports a program that SIGINT ended. */
export const INTERRUPTED_EXIT_CODE = 130;
const RETRY_MS = 5;
const CLOSED = new Set(["EPIPE", "EOF"]);

/** Returns false if standard output is closed. @throws {TerminalFileError} */
export function writeOut(text: string): boolean {
  try {
    writeAll(STDOUT, text);
    return true;
  } catch (error) {
    const { code = "EUNKNOWN", message } = error as NodeJS.ErrnoException;
    if (CLOSED.has(code)) return false;
    throw new TerminalFileError(code, "standard output", message);
  }
}

export function isDevice(fd: number): boolean {
  return fstatSync(fd).isCharacterDevice();
}

/** Loses what cannot be written. Returns false if standard error is closed. */
export function writeErr(text: string): boolean {
  try {
    writeAll(STDERR, text);
    return true;
  } catch (error) {
    return !CLOSED.has((error as NodeJS.ErrnoException).code ?? "");
  }
}

function writeAll(fd: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSome(fd, rest));
}

/** A non-blocking descriptor may accept no bytes at the moment. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    return 0;
  }
}

/** JSON permits these characters unescaped, but a terminal interprets them. */
const CONTROL_CHARACTERS = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Escapes what a terminal would interpret; parsers still read the exact document. */
export function jsonText(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
