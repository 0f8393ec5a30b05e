import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { foreignCode, type ErrorCode } from "../../../api/issue.ts";
import { errorCode } from "../../../words/thrown.ts";
import { descriptorPath, NO_FOLLOW, O_RDONLY } from "../../../files/system.ts";

/** Applies to the compressed and the decompressed size. */
const MAX_ZIPPED_BYTES = 64 * 2 ** 20;

export class UnreadableLogError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, details: string) {
    super(details);
    this.code = code;
  }
}

export interface LogLocation {
  readonly path: string;
  readonly folders: readonly string[];
  readonly owner: number;
}

export class LogFile {
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly createdMs: number;
  readonly #fd: number;
  readonly #content: Buffer | undefined;

  constructor(location: LogLocation) {
    this.#fd = openLog(location);
    try {
      const stat = fstatSync(this.#fd);
      this.inode = stat.ino;
      this.modifiedMs = stat.mtimeMs;
      this.createdMs = stat.birthtimeMs;
      this.#content = location.path.endsWith(".gz") ? unzip(this.#fd, stat.size, location.path) : undefined;
      this.size = this.#content?.length ?? stat.size;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  read(into: Buffer, position: number): number {
    if (this.#content) return this.#content.copy(into, 0, position);
    return readAt(this.#fd, into, position);
  }

  currentSize(): number {
    return this.#content?.length ?? fstatSync(this.#fd).size;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function readAt(fd: number, into: Buffer, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const count = readSync(fd, into, filled, into.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

function unzip(fd: number, size: number, path: string): Buffer {
  const tooLarge = new UnreadableLogError("EFBIG", `${path} has more than ${MAX_ZIPPED_BYTES / 2 ** 20} MiB of text.`);
  if (size > MAX_ZIPPED_BYTES) throw tooLarge;
  const zipped = Buffer.alloc(size);
  readAt(fd, zipped, 0);
  try {
    return gunzipSync(zipped, { maxOutputLength: MAX_ZIPPED_BYTES });
  } catch (error) {
    if (errorCode(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge;
    throw new UnreadableLogError("ENOTREG", `${path} is not compressed by gzip.`);
  }
}

/** The owner of an app chooses this path, so svcm opens no link, no pipe and nothing outside the folders. */
function openLog({ path, folders, owner }: LogLocation): number {
  const fd = openFile(path);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw notRegularError(path);
    if (!isInside(descriptorPath(fd, fstatSync(fd, { bigint: true })) ?? realpathSync(path), folders))
      throw outsideError(path);
    // The superuser may read files that the user of PM2 may not.
    if (process.getuid?.() === 0 && stat.uid !== owner)
      throw new UnreadableLogError("EACCES", `${path} belongs to another user than PM2_HOME.`);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, O_RDONLY | NO_FOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENXIO") throw notRegularError(path);
    throw new UnreadableLogError(foreignCode(code), `${path} cannot be read (${code}).`);
  }
}

function notRegularError(path: string): UnreadableLogError {
  return new UnreadableLogError("ENOTREG", `${path} is not a regular file. svcm follows no link and reads no pipe.`);
}

function outsideError(path: string): UnreadableLogError {
  const accepted =
    "Accepted: PM2_HOME, the folder of the app, and the folders of logFolders in svcm.yaml, for example logFolders: [/var/log/orders].";
  return new UnreadableLogError("EOUTSIDE", `${path} is outside of the folders that may hold logs. ${accepted}`);
}

function isInside(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const root = realFolder(folder);
    return root !== undefined && root !== sep && real.startsWith(root + sep);
  });
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

const HEAD_BYTES = 64 * 1024;

/** The beginning of a file, still compressed; `undefined` if it may not be read. */
export function readHead(location: LogLocation): Buffer | undefined {
  try {
    const fd = openLog(location);
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.subarray(0, readAt(fd, head, 0));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof UnreadableLogError) return undefined;
    throw error;
  }
}
