import { randomBytes } from "node:crypto";
import { link, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readIfExists } from "./system.ts";
import { createFolder, PRIVATE_FILE, writeNew } from "./write.ts";

export const KEY_BYTES = 32;

/** The key of a folder, which only its owner can read. Processes that create it at the same time get the same one. */
export async function folderKey(folder: string): Promise<Uint8Array> {
  const path = join(folder, "key");
  const found = await readIfExists(path);
  if (found !== undefined) return found;
  await createFolder(folder);
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeNew(temporary, randomBytes(KEY_BYTES), PRIVATE_FILE);
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await unlink(temporary);
  }
  return readFile(path);
}
