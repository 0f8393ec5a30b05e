import { basename, dirname, join } from "node:path";
import { claimName, lockName, temporaryName } from "./names.ts";
import { discard, readdir } from "./system.ts";

/**
 * Removes what killed processes left beside the target: temporary files and claims. Only for the
 * holder of its lock: nobody else has a temporary file then, and no claim entitles to anything (see
 * `succession.ts`). What carries the holder's own nonce stays.
 */
export async function sweep(target: string, ownNonce: string): Promise<void> {
  const folder = dirname(target);
  const scratch = [temporaryName(target, ""), claimName(lockName(target), "")];
  const prefixes = scratch.map((path) => basename(path));
  // A folder that may not be listed keeps its litter; that is no reason to refuse the write.
  const names = await readdir(folder).catch(() => []);
  const litter = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !name.includes(ownNonce));
  await Promise.all(litter.map((name) => discard(join(folder, name))));
}
