/**
 * Takes over the lock of a dead process. Two processes never hold the lock at the same time.
 *
 * A lock is a symbolic link whose text names its holder in JSON. One system call creates it exclusively and with its
 * content, so a crash cannot leave an empty lock.
 *
 * To replace a dead holder with nonce N, a process first creates the claim on N: a link `<lock>.<N>` that names the
 * process. It then reads the lock again. Only if the lock still names N does it rename its own link over the lock.
 *
 * Two processes cannot succeed N. While the lock names N, only the process of N and the owner of the claim on N may
 * change it. The process of N is dead. (A holder in another container counts as dead after some minutes. If it was only
 * paused, its write still detects that the file has changed.) The claim has one owner, because it is created
 * exclusively. If that owner dies, its claim is taken over in the same way, through a claim on its nonce. So nothing
 * changes between the second read and the rename.
 *
 * Nonces are never reused. If the lock has changed, a process with a claim on N sees that at its second read and gives
 * up. For the same reason, the holder of the lock may sweep every claim: each one refers to a nonce that will never be
 * in the lock again.
 */
import { basename, dirname, join } from "node:path";
import { type Holder, readHolder, type Verdict } from "./holder.ts";
import { discard, isRefusal, readdir, rename, symlink } from "./system.ts";

const beside = (target: string, suffix: string) => join(dirname(target), `.${basename(target)}.svcm-${suffix}`);

export const lockName = (target: string) => beside(target, "lock");
export const claimName = (lock: string, nonce: string) => `${lock}.${nonce}`;
const successorName = (lock: string, nonce: string) => `${lock}.${nonce}.next`;
export const temporaryName = (target: string, nonce: string) => beside(target, `new.${nonce}`);

export interface Contender {
  readonly lock: string;
  readonly nonce: string;
  readonly content: string;
  judge(holder: Holder): Promise<Verdict>;
}

/** `moved`: try again at once. A `Holder`: wait for it. */
export type Outcome = "free" | "succeeded" | "moved" | Holder;

export async function contend(us: Contender): Promise<Outcome> {
  return (await create(us, us.lock)) ? "free" : await succeed(us, us.lock);
}

async function succeed(us: Contender, place: string): Promise<Outcome> {
  const holder = await readHolder(place);
  if (holder === undefined) return "moved";
  if (holder.nonce === us.nonce) return "succeeded"; // created, although the response was lost (NFS)
  if ((await us.judge(holder)) !== "dead") return holder;

  const claim = claimName(us.lock, holder.nonce);
  if (!(await create(us, claim))) {
    const outcome = await succeed(us, claim);
    if (outcome !== "succeeded") return outcome;
  }
  try {
    const now = await readHolder(place);
    return now?.nonce === holder.nonce ? await replace(us, place) : "moved";
  } finally {
    await discard(claim);
  }
}

async function create(us: Contender, place: string): Promise<boolean> {
  try {
    await symlink(us.content, place);
    return true;
  } catch (error) {
    if (isRefusal(error, "EEXIST")) return false;
    throw error;
  }
}

/** A missing link was swept, so this claim was out of date. */
async function replace(us: Contender, place: string): Promise<"succeeded" | "moved"> {
  const successor = successorName(us.lock, us.nonce);
  await symlink(us.content, successor);
  try {
    await rename(successor, place);
    return "succeeded";
  } catch (error) {
    await discard(successor);
    if (isRefusal(error, "ENOENT")) return "moved";
    throw error;
  }
}

/** Only for the holder of the lock: no other process then has temporary files, and no claim is valid. */
export async function sweep(target: string, ownNonce: string): Promise<void> {
  const folder = dirname(target);
  const scratch = [temporaryName(target, ""), claimName(lockName(target), "")];
  const prefixes = scratch.map((path) => basename(path));
  const names = await readdir(folder).catch(() => []);
  const litter = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !name.includes(ownNonce));
  await Promise.all(litter.map((name) => discard(join(folder, name))));
}
