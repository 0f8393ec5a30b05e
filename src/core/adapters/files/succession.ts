/**
 * Takes over the lock of a dead process without a moment in which two processes both hold it.
 *
 * A lock is a symbolic link whose text names its holder in JSON. One system call creates it exclusively and with its
 * content, so a crash cannot leave it empty.
 *
 * To replace a dead holder with nonce N, a process first creates the claim on N: a link `<lock>.<N>` with its own name.
 * It then reads the lock again. Only if the lock still names N, it renames its own link over it.
 *
 * Why no two processes succeed N: the lock, while it names N, is changed only by N's process and by the owner of the
 * claim on N. N's process is dead. (A holder in another container counts as dead after minutes; if it was only paused,
 * its write still sees that the file has changed.) The claim has one owner, because it is created exclusively. If that
 * owner dies, its claim is taken over in the same way, by a claim on its nonce. So nothing changes between the second
 * read and the rename.
 *
 * Nonces are never used again. A process that creates a claim on N after the lock has moved on sees that at its second
 * read, and gives up. For the same reason the holder of the lock may sweep every claim: each refers to a nonce that
 * will never be in the lock again.
 */
import { type Holder, readHolder, type Verdict } from "./holder.ts";
import { claimName, successorName } from "./names.ts";
import { discard, isRefusal, rename, symlink } from "./system.ts";

/** A process that wants a lock, and the content of its locks and claims. */
export interface Contender {
  readonly lock: string;
  readonly nonce: string;
  readonly content: string;
  judge(holder: Holder): Promise<Verdict>;
}

/**
 * `free`: the lock was free and is ours. `succeeded`: we replaced a dead holder. `moved`: try again at once. Otherwise,
 * the holder to wait for.
 */
export type Outcome = "free" | "succeeded" | "moved" | Holder;

export async function contend(us: Contender): Promise<Outcome> {
  return (await create(us, us.lock)) ? "free" : await succeed(us, us.lock);
}

/** Takes a lock or claim from a dead holder. */
async function succeed(us: Contender, place: string): Promise<Outcome> {
  const holder = await readHolder(place);
  if (holder === undefined) return "moved";
  if (holder.nonce === us.nonce) return "succeeded"; // created, although the answer was lost (NFS)
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

/** Our link is missing only if a holder swept it: then this claim was outdated. */
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
