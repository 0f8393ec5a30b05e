import { createHmac } from "node:crypto";
import { join } from "node:path";
import { folderKey, KEY_BYTES } from "../../files/folder-key.ts";
import { homeFailure, LinkFailure } from "./failure.ts";

/** Processes that create it at the same time get the same key. @throws {LinkFailure} PM2_HOME_UNUSABLE */
export async function homeKey(home: string): Promise<Uint8Array> {
  const folder = join(home, "svcm");
  const path = join(folder, "key");
  try {
    const found = await folderKey(folder);
    if (found.length === KEY_BYTES) return found;
  } catch (error) {
    throw homeFailure(`The key ${path} cannot be read or created`, error);
  }
  throw new LinkFailure(
    "PM2_HOME_UNUSABLE",
    `${path} is not a key of ${KEY_BYTES} bytes. Remove it; svcm creates another.`,
  );
}

export function digestWith(salt: Uint8Array, value: string): string {
  return createHmac("sha256", salt).update(value).digest("base64url");
}
