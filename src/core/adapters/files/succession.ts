/**
 * Locks, and taking over from a dead process without a moment in which two could believe they did.
 *
 * A lock is a symbolic link whose text, JSON, names its holder: the one kind of file that a single
 * system call creates exclusively and with its content, and that a crash cannot leave empty.
 *
 * Who wants to succeed a dead holder with nonce N first creates the claim on N: a link of the same
 * kind, `<lock>.<N>`. The claim's owner reads the lock again, and only if it still names N puts
 * itself in N's place, by rename.
 *
 * Why this is enough. A lock or claim that names N is changed by nobody but N's process and the
 * owner of the claim on N. N's process is dead, and stays dead (one in another container is taken
 * for dead after minutes; were it only paused, the write still sees that the file has changed). The claim has one owner at a time:
 * it is created exclusively, and where its owner died it is itself succeeded in this way and in no
 * other (that claim is named by the dead owner's nonce, so the chain is as long as processes died).
 * So nothing can come between the second look and the rename. Nonces never return: whoever makes a
 * claim on N after the lock has moved on sees so at the second look, and goes.
 *
 * Hence, too, what the holder of the lock may sweep: every claim. Each stands, directly or through
 * other claims, on a nonce that was dead before and so will never be in the lock again. Whatever a
 * process believes to own there, its second look at the lock tells it to go.
 */
import { type Holder, readHolder, type Verdict } from "./holder.ts";
import { claimName, successorName } from "./names.ts";
import { discard, isRefusal, rename, symlink } from "./system.ts";

/** A process at a lock, and what it writes into locks and claims. */
export interface Contender {
  readonly lock: string;
  readonly nonce: string;
  readonly content: string;
  judge(holder: Holder): Promise<Verdict>;
}

/**
 * The lock is ours, because it was `free` or because we `succeeded` a dead holder; or it `moved`:
 * look again at once; or the holder that must be waited for.
 */
export type Outcome = "free" | "succeeded" | "moved" | Holder;

/** One attempt to get the lock. */
export async function contend(us: Contender): Promise<Outcome> {
  return (await create(us, us.lock)) ? "free" : await succeed(us, us.lock);
}

/** Takes a lock or claim from a holder that is dead. */
async function succeed(us: Contender, place: string): Promise<Outcome> {
  const holder = await readHolder(place);
  if (holder === undefined) return "moved";
  if (holder.nonce === us.nonce) return "succeeded"; // made, though the answer was lost (NFS)
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

/** Our link is gone before its rename only where a holder sweeps: then this claim was an old one. */
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
