import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { foreignCode, type ErrorCode } from "../../../api/code.ts";
import { errorCode } from "../../../words/thrown.ts";
import { O_RDONLY, openedPath, SAFELY, statOf } from "../../files/system.ts";

/** Applies to the compressed and the decompressed size. */
const MOST_ZIPPED_BYTES = 64 * 2 ** 20;

export class Unreadable extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, details: string) {
    super(details);
    this.code = code;
  }
}

export interface LogPlace {
  readonly path: string;
  readonly folders: readonly string[];
  readonly owner: number;
}

export class LogFile {
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly bornMs: number;
  readonly #fd: number;
  readonly #content: Buffer | undefined;

  /** @throws {Unreadable}; ENOENT */
  constructor(place: LogPlace) {
    this.#fd = openLog(place);
    try {
      const stat = fstatSync(this.#fd);
      this.inode = stat.ino;
      this.modifiedMs = stat.mtimeMs;
      this.bornMs = stat.birthtimeMs;
      this.#content = place.path.endsWith(".gz") ? unzipped(this.#fd, stat.size, place.path) : undefined;
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

  grown(): number {
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

function unzipped(fd: number, size: number, path: string): Buffer {
  const tooLarge = new Unreadable("EFBIG", `${path} has more than ${MOST_ZIPPED_BYTES / 2 ** 20} MiB of text.`);
  if (size > MOST_ZIPPED_BYTES) throw tooLarge;
  const zipped = Buffer.alloc(size);
  readAt(fd, zipped, 0);
  try {
    return gunzipSync(zipped, { maxOutputLength: MOST_ZIPPED_BYTES });
  } catch (error) {
    if (errorCode(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge;
    throw new Unreadable("ENOTREG", `${path} is not compressed by gzip.`);
  }
}

/** The owner of an app chooses this path, so svcm opens no link, no pipe and nothing outside the folders. */
function openLog({ path, folders, owner }: LogPlace): number {
  const fd = opened(path);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw notRegular(path);
    if (!isInside(openedPath(fd, statOf(fd)) ?? realpathSync(path), folders)) throw outside(path);
    // The superuser may read files that the user of PM2 may not.
    if (process.getuid?.() === 0 && stat.uid !== owner)
      throw new Unreadable("EACCES", `${path} belongs to another user than PM2_HOME.`);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function opened(path: string): number {
  try {
    return openSync(path, O_RDONLY | SAFELY);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENXIO") throw notRegular(path);
    throw new Unreadable(foreignCode(code), `${path} cannot be read (${code}).`);
  }
}

function notRegular(path: string): Unreadable {
  return new Unreadable("ENOTREG", `${path} is not a regular file. svcm follows no link and reads no pipe.`);
}

function outside(path: string): Unreadable {
  const accepted = "Accepted: PM2_HOME, the folder of the app, and the folders under logFolders in svcm.yaml.";
  return new Unreadable("EOUTSIDE", `${path} is outside of the folders that may hold logs. ${accepted}`);
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
