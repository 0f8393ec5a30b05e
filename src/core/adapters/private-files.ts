import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempting } from "./files/file-error.ts";
import { SvcmError } from "../errors.ts";
import { FileError } from "../ports/index.ts";
import { writeNew } from "./files/write.ts";

export interface PrivateCopy {
  /** Mode 0700, because an editor puts its temporary files here. */
  readonly folder: string;
  readonly path: string;
  read(): Promise<Uint8Array<ArrayBuffer>>;
  remove(): void;
}

export async function privateCopy(name: string, bytes: Uint8Array): Promise<PrivateCopy> {
  const parent = tmpdir();
  return await attempting("write", parent, () => {
    const folder = mkdtempSync(join(parent, "svcm-edit-"));
    const path = join(folder, name);
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    try {
      writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
    } catch (error) {
      remove();
      throw error;
    }
    return { folder, path, read: () => attempting("read", path, () => readFileSync(path)), remove };
  });
}

const PRIVATE_FILE = 0o600;

/** @throws {SvcmError} INVALID_REQUEST if the file exists */
export async function keepSecret(path: string, text: string): Promise<void> {
  try {
    await attempting("create", path, () => writeNew(path, Buffer.from(text), PRIVATE_FILE));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SvcmError("INVALID_REQUEST", {
      code: error.code,
      path,
      details: `${error.message} Accepted: a new file.`,
    });
  }
}
