import { FileError } from "./port-files.ts";
import { constants } from "node:os";
import { getSystemErrorMap } from "node:util";
import { foreignCode, type ErrorCode } from "../api/issue.ts";

/** svcm's own codes, and system codes that Node's table lacks or describes badly. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTREG: "it is not a regular file",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a directory",
  ENOSPC: "no space is left on the disk",
  EROFS: "the file system is mounted read-only",
};

const MOUNT_POINT = "the file itself is a mount point; mount its directory instead";

/** The system's message names temporary files, so it is dropped. Errors that are not the system's are defects. */
export async function attempt<T>(action: string, path: string, step: () => T): Promise<Awaited<T>> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof FileError || !isSystemError(error)) throw error;
    const code = foreignCode(systemCode(error));
    throw fileError(code, action, path, reasonFor(code, error));
  }
}

export function fileError(code: ErrorCode, action: string, path: string, reason = REASONS[code]) {
  return new FileError(code, path, `Cannot ${action} ${path}: ${reason}.`);
}

export function tooLargeError(action: string, path: string, maxBytes: number) {
  return fileError("EFBIG", action, path, `it is larger than ${maxBytes} bytes`);
}

type SystemError = NodeJS.ErrnoException & { code: string };

/** Other errors also have a code (ABORT_ERR), but no system call. */
export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** Node has no name for some codes, such as EDQUOT: "Unknown system error -122". */
function systemCode(error: SystemError): string {
  if (!error.code.startsWith("Unknown system error")) return error.code;
  const number = -(error.errno ?? 0);
  return Object.entries(constants.errno).find(([, value]) => value === number)?.[0] ?? error.code;
}

function reasonFor(code: string, error: SystemError): string {
  if (error.syscall === "rename" && (code === "EBUSY" || code === "EXDEV")) return MOUNT_POINT;
  const words = error.errno === undefined ? undefined : getSystemErrorMap().get(error.errno)?.[1];
  return REASONS[code] ?? words ?? "the system refused it";
}
