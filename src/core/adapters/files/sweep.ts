import { basename, dirname, join } from "node:path";
import { claimName, lockName, temporaryName } from "./names.ts";
import { discard, readdir } from "./system.ts";

/**
 * Removes temporary files and claims of killed processes, except those with the own nonce. Only the holder of the lock
 * may call it: then no other process has temporary files, and no claim is valid (see `succession.ts`).
 */
export async function sweep(target: string, ownNonce: string): Promise<void> {
  const folder = dirname(target);
  const scratch = [temporaryName(target, ""), claimName(lockName(target), "")];
  const prefixes = scratch.map((path) => basename(path));
  // If the folder cannot be listed, the files stay and the write continues.
  const names = await readdir(folder).catch(() => []);
  const litter = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !name.includes(ownNonce));
  await Promise.all(litter.map((name) => discard(join(folder, name))));
}
