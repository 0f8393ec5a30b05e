/**
 * Takes over the lock of a dead process. Two processes never hold the lock at the same time.
 *
 * A lock is a symbolic link whose text names its holder. One system call creates it exclusively and with its
 * content, so a crash cannot leave an empty lock.
 *
 * To replace a dead holder with nonce N, a process first creates the claim on N: a link `<lock>.<N>` that names the
 * process. It then reads the lock again. Only if the lock still names N does it rename its own link over the lock.
 *
 * Two processes cannot take over from N. While the lock names N, only the process of N and the owner of the claim on N
 * may change it. The process of N is dead. (A holder in another container counts as dead after some minutes. If it was only
 * paused, its write still detects that the file has changed.) The claim has one owner, because it is created
 * exclusively. If that owner dies, its claim is taken over in the same way, through a claim on its nonce. So nothing
 * changes between the second read and the rename.
 *
 * Nonces are never reused. If the lock has changed, a process with a claim on N sees that at its second read and gives
 * up. For the same reason, the holder of the lock may remove every claim: each one refers to a nonce that will
 * never be in the lock again.
 */
import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { isRunning, type UniqueProcess } from "./proc.ts";
import { discard, hasErrorCode, readdir, readlink, rename, symlink } from "./system.ts";

export interface Holder {
  /** Names one attempt to lock and is never reused. */
  readonly nonce: string;
  /** With tags instead of names; null if svcm did not write the lock. */
  readonly process: UniqueProcess | null;
  readonly since: number;
}

export type HolderState = "alive" | "dead" | "unverifiable";

const FOREIGN: Holder = { nonce: "", process: null, since: Number.POSITIVE_INFINITY };

/** Without this limit, a container that is killed during a write would lock out its successor forever. */
const MAX_HOLD_ELSEWHERE_MS = 300_000;

const NONCE_DIGITS = 10;

export function newNonce(): string {
  return randomBytes(8).readBigUInt64BE().toString(36).slice(-NONCE_DIGITS);
}

/**
 * Under 60 bytes, so that it fits into the link itself: a file system keeps a longer text in a block, which a full disk does
 * not have.
 */
export function serializeHolder(nonce: string, self: UniqueProcess, since = Date.now()): string {
  const { pid, startTime, bootId, pidNamespace, host } = tagged(self);
  return [nonce, pid.toString(36), startTime, since.toString(36), bootId, pidNamespace, host]
    .map((part) => part ?? "")
    .join(":");
}

/** With short tags instead of names. */
function tagged({ bootId, pidNamespace, host, ...rest }: UniqueProcess): UniqueProcess {
  return {
    ...rest,
    bootId: bootId && tagOf(bootId),
    pidNamespace: pidNamespace && tagOf(pidNamespace),
    host: tagOf(host),
  };
}

const TAG_DIGITS = 6;

export function tagOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, TAG_DIGITS);
}

export async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return parseHolder(await readlink(path)) ?? FOREIGN;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    if (hasErrorCode(error, "EINVAL")) return FOREIGN; // not a symbolic link
    throw error;
  }
}

const HOLDER = /^([0-9a-z]{1,10}):([0-9a-z]{1,6}):(\d*):([0-9a-z]{1,9}):([0-9a-f]*):([0-9a-f]*):([0-9a-f]+)$/;

function parseHolder(text: string): Holder | undefined {
  const [, nonce = "", pid = "", startTime, since = "", bootId, pidNamespace, host = ""] = HOLDER.exec(text) ?? [];
  if (nonce === "") return undefined;
  return {
    nonce,
    since: Number.parseInt(since, 36),
    process: {
      pid: Number.parseInt(pid, 36),
      startTime: startTime || null,
      bootId: bootId || null,
      pidNamespace: pidNamespace || null,
      host,
    },
  };
}

export async function judgeHolder(holder: Holder, own: UniqueProcess): Promise<HolderState> {
  const other = holder.process;
  const self = tagged(own);
  if (other === null) return "unverifiable";
  if (other.bootId === null || other.bootId !== self.bootId) {
    if (other.host !== self.host) return "unverifiable";
    if (other.bootId !== null && self.bootId !== null) return "dead";
  }
  if (other.pidNamespace !== self.pidNamespace) return hasHeldTooLong(holder) ? "dead" : "unverifiable";
  return (await isRunning(other, self)) ? "alive" : "dead";
}

/** Applies only to holders from this boot, because only their clock is comparable. */
function hasHeldTooLong({ process: other, since }: Holder): boolean {
  return other?.bootId !== null && Date.now() - since > MAX_HOLD_ELSEWHERE_MS;
}

const siblingPath = (target: string, suffix: string) => join(dirname(target), `.${basename(target)}.svcm-${suffix}`);

export const lockName = (target: string) => siblingPath(target, "lock");
export const claimName = (lock: string, nonce: string) => `${lock}.${nonce}`;
const successorName = (lock: string, nonce: string) => `${lock}.${nonce}.next`;
export const temporaryName = (target: string, nonce: string) => siblingPath(target, `new.${nonce}`);

export interface Contender {
  readonly lock: string;
  readonly nonce: string;
  readonly content: string;
  judge(holder: Holder): Promise<HolderState>;
}

/** `changed`: try again at once. A `Holder`: wait for it. */
export type Outcome = "acquired" | "taken-over" | "changed" | Holder;

export async function tryAcquire(contender: Contender): Promise<Outcome> {
  const { lock } = contender;
  return (await createLink(contender, lock)) ? "acquired" : await takeOver(contender, lock);
}

/** @param link the lock, or a claim */
async function takeOver(contender: Contender, link: string): Promise<Outcome> {
  const holder = await readHolder(link);
  if (holder === undefined) return "changed";
  if (holder.nonce === contender.nonce) return "taken-over"; // created, although the response was lost (NFS)
  if ((await contender.judge(holder)) !== "dead") return holder;

  const claim = claimName(contender.lock, holder.nonce);
  if (!(await createLink(contender, claim))) {
    const outcome = await takeOver(contender, claim);
    if (outcome !== "taken-over") return outcome;
  }
  try {
    const now = await readHolder(link);
    return now?.nonce === holder.nonce ? await replaceLink(contender, link) : "changed";
  } finally {
    await discard(claim);
  }
}

async function createLink({ content }: Contender, link: string): Promise<boolean> {
  try {
    await symlink(content, link);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** A missing link was removed by the holder of the lock, so this claim was out of date. */
async function replaceLink({ lock, nonce, content }: Contender, link: string): Promise<"taken-over" | "changed"> {
  const successor = successorName(lock, nonce);
  await symlink(content, successor);
  try {
    await rename(successor, link);
    return "taken-over";
  } catch (error) {
    await discard(successor);
    if (hasErrorCode(error, "ENOENT")) return "changed";
    throw error;
  }
}

/** Only for the holder of the lock: no other process then has temporary files, and no claim is valid. */
export async function removeLeftovers(target: string, ownNonce: string): Promise<void> {
  const folder = dirname(target);
  const prefixes = [temporaryName(target, ""), claimName(lockName(target), "")].map((path) => basename(path));
  const isLeftover = (name: string): boolean =>
    prefixes.some((prefix) => name.startsWith(prefix)) && !name.includes(ownNonce);
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter(isLeftover).map((name) => discard(join(folder, name))));
}
