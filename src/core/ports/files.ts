import type { ErrorCode } from "../api/code.ts";
/** Configuration files: small, regular, inside the folders that svcm was given. */
export interface Files {
  /**
   * Reads a regular file whole, following symbolic links. Calls that arrive while the file is being read share the next
   * read.
   *
   * @throws {FileError} ENOENT, EACCES, EISDIR, EFBIG (over the size cap), EOUTSIDE (a link that
   *   leaves the allowed folders), ENOTREG (a FIFO, socket or device), or any other system code.
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;

  /**
   * Replaces a file's content as one transaction: lock, read, decide, write beside, sync, rename, sync the directory.
   * `decide` gets the current content and returns the next one, or `undefined` for no change. It may run again if another
   * program changes the file between read and rename, so it must not have effects. `beforeWrite` runs once, after
   * `decide` and before the first byte is written; if it throws, nothing is written.
   *
   * Resolves with the content that is in place afterwards. Mode and owner are kept, a symbolic link is followed, and on
   * any failure the old content is whole. One failure says otherwise in its message: if the directory cannot be synced,
   * the new content is in place but may not survive a power cut.
   *
   * @throws {FileError} the codes of `read` and any other system code, with the given path. EACCES: also for root, if
   *   the file's mode lacks its owner's write permission. ELOCKED: another process holds the lock. ECHANGED: another
   *   program keeps changing the file. EBUSY, EXDEV: the file is a mount point. Errors of `decide` and `beforeWrite`
   *   pass through.
   */
  replace(
    path: string,
    decide: (current: Uint8Array) => Uint8Array | undefined,
    beforeWrite?: () => Promise<void>,
  ): Promise<Uint8Array>;

  /**
   * Creates a file, whole and synced, in a folder that exists. `beforeWrite` runs once, before the first byte is written;
   * if it throws, nothing is written.
   *
   * @throws {FileError} EEXIST if the name is taken, ENOENT without the folder, and the other codes of `replace`.
   */
  create(path: string, content: Uint8Array, beforeWrite?: () => Promise<void>): Promise<void>;
}

export interface ReadOptions {
  /** Cap of the size; by default that of the port. */
  readonly maxBytes?: number;
  /**
   * Reads a path outside of the allowed folders, because a person named it. A path inside of them still has to lead to a
   * place inside.
   */
  readonly mayBeOutside?: boolean;
}

/** A file operation that the system refused. `code` is the system's own, for example `ENOSPC`. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: ErrorCode;
  readonly path: string;

  constructor(code: ErrorCode, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
