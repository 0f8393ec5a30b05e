import { closeSync, openSync, readSync } from "node:fs";

/**
 * A file of `/proc` that is opened once and read anew from its beginning each time. Kept open, it
 * stays bound to its process: after that has ended a read says ESRCH, even where another process got
 * its number.
 */
export class KeptFile {
  readonly #fd: number;
  readonly #buffer: Buffer;

  /**
   * @param buffer holds what is read until the next read; files of one reader share it
   * @throws the system's error
   */
  constructor(path: string, buffer: Buffer) {
    this.#buffer = buffer;
    this.#fd = openSync(path, "r");
  }

  /** As Latin-1: what counts is ASCII. @throws the system's error */
  read(): string {
    return this.#buffer.toString("latin1", 0, readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0));
  }

  close(): void {
    closeSync(this.#fd);
  }
}
