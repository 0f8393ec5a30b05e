import { FileError } from "./ports.ts";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { SvcmError, type ErrorKind } from "../api/errors.ts";

import { attempt, read } from "./system.ts";
import { fileLocks } from "./lock.ts";
import { withLogFile } from "./log.ts";
import { createFolder, PRIVATE_FILE, replacePrivate, writeNew } from "./write.ts";

export interface PrivateCopy {
  /** Mode 0700, because an editor puts its temporary files here. */
  readonly folder: string;
  readonly path: string;
  read(): Promise<Uint8Array<ArrayBuffer>>;
  remove(): void;
}

export async function privateCopy(name: string, bytes: Uint8Array): Promise<PrivateCopy> {
  const parent = tmpdir();
  return await attempt("write", parent, () => {
    const folder = mkdtempSync(join(parent, "svcm-edit-"));
    const path = join(folder, name);
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    try {
      writeFileSync(path, bytes, { mode: PRIVATE_FILE, flag: "wx" });
    } catch (error) {
      remove();
      throw error;
    }
    return { folder, path, read: () => attempt("read", path, () => readFileSync(path)), remove };
  });
}

/** True if other users of the machine may read or change it. */
export function isOpenToOthers(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & PERMISSIONS_OF_OTHERS) !== 0;
}

const PERMISSIONS_OF_OTHERS = 0o077;

/** Also makes its folder. @throws {SvcmError} INVALID_REQUEST if the file exists */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  try {
    await attempt("create", path, async () => {
      await createFolder(dirname(resolve(path)));
      await writeNew(path, Buffer.from(text), PRIVATE_FILE);
    });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SvcmError("INVALID_REQUEST", {
      code: error.code,
      path,
      details: `${error.message} Accepted: a new file.`,
    });
  }
}

const LOCK_TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 2 ** 20;

/** Several processes of the machine may change it, one at a time. */
export interface DeliveryFile {
  /** `undefined` if there is no file. @throws {FileError} */
  read(): Promise<string | undefined>;
  /** When the promise of `save` resolves, the new text is on disk. @throws {FileError} ELOCKED or the system's code */
  change<T>(work: (text: string | undefined, save: (text: string) => Promise<void>) => Promise<T>): Promise<T>;
}

export function deliveryFile(path: string): DeliveryFile {
  const locks = fileLocks({ timeoutMs: LOCK_TIMEOUT_MS });
  return {
    read: () => readStored(path),
    async change(work) {
      await attempt("write", path, () => createFolder(dirname(path)));
      return await locks.withLock({ target: path, path }, async (nonce) => {
        const save = (text: string): Promise<void> => replacePrivate({ target: path, path, nonce }, Buffer.from(text));
        return await work(await readStored(path), save);
      });
    },
  };
}

async function readStored(path: string): Promise<string | undefined> {
  return await withLogFile(path, async ({ fd, size }) => {
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    const length = await read(fd, bytes, 0);
    return bytes.toString("utf8", 0, length);
  });
}

/** @throws {SvcmError} `kind`, with what the system says about the file */
export async function withFileErrors<T>(kind: ErrorKind, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SvcmError(kind, { code: error.code, path, details: error.message });
  }
}
