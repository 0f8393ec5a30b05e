import { createHmac, randomBytes } from "node:crypto";
import { link, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder } from "../../files/owner.ts";
import { PRIVATE_FILE, writeNew } from "../../files/write.ts";
import { readIfExists } from "../../files/system.ts";
import { homeFailure, LinkFailure } from "./failure.ts";

const BYTES = 32;

/** Processes that create it at the same time get the same key. @throws {LinkFailure} PM2_HOME_UNUSABLE */
export async function homeKey(home: string): Promise<Uint8Array> {
  const folder = join(home, "svcm");
  const path = join(folder, "key");
  try {
    const found = (await readIfExists(path)) ?? (await createKey(folder, path));
    if (found.length === BYTES) return found;
  } catch (error) {
    throw homeFailure(`The key ${path} cannot be read or created`, error);
  }
  throw new LinkFailure(
    "PM2_HOME_UNUSABLE",
    `${path} is not a key of ${BYTES} bytes. Remove it; svcm creates another.`,
  );
}

async function createKey(folder: string, path: string): Promise<Uint8Array> {
  makePrivateFolder(folder);
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeNew(temporary, randomBytes(BYTES), PRIVATE_FILE);
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await unlink(temporary);
  }
  return readFile(path);
}

export function digestWith(salt: Uint8Array, value: string): string {
  return createHmac("sha256", salt).update(value).digest("base64url");
}
