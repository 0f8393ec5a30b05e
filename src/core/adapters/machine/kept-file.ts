import { closeSync, openSync, readSync } from "node:fs";

/**
 * A file of `/proc` that stays open and is read from its beginning each time. It stays bound to its process: after that
 * process has ended, a read fails with ESRCH even if another process has its number.
 */
export class KeptFile {
  readonly #fd: number;
  readonly #buffer: Buffer;

  /**
   * @param buffer holds the content until the next read; the files of one reader share it
   * @throws the system's error
   */
  constructor(path: string, buffer: Buffer) {
    this.#buffer = buffer;
    this.#fd = openSync(path, "r");
  }

  /** As Latin-1, because svcm reads only ASCII. @throws the system's error */
  read(): string {
    return this.#buffer.toString("latin1", 0, readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0));
  }

  close(): void {
    closeSync(this.#fd);
  }
}
