import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { attempt, read } from "../files/system.ts";
import { fileLocks } from "../files/lock.ts";
import { withLogFile } from "../files/log.ts";
import { FileError } from "../files/ports.ts";
import { withFileErrors } from "../files/private-files.ts";
import { identifyProcess, isRunning, listAncestors, type UniqueProcess } from "../files/proc.ts";
import { createFolder, replacePrivate } from "../files/write.ts";
import { once } from "../words/once.ts";
import type { Proposals } from "./port-proposals.ts";
import { keepNewest, withExpiry } from "./decide.ts";
import { parseProposals, renderProposals, type StoredProposal } from "./stored.ts";

const MAX_BYTES = 16 * 2 ** 20;
const LOCK_TIMEOUT_MS = 5_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ID_LENGTH = 8;

/** @param folder that of svcm's own files */
export function nodeProposals(folder: string): Proposals {
  const path = join(folder, "proposals.json");
  const locks = fileLocks({ timeoutMs: LOCK_TIMEOUT_MS });
  const self = once(identifyProcess);
  const readAll = async (): Promise<readonly StoredProposal[]> => {
    const text = await withLogFile(path, async ({ fd, size }) => {
      if (size > MAX_BYTES) throw new FileError("EFBIG", path, `${path} is larger than 16 MiB.`);
      const bytes = Buffer.alloc(size);
      return bytes.toString("utf8", 0, await read(fd, bytes, 0));
    });
    const stored = text === undefined ? [] : parseProposals(text, path);
    return await Promise.all(stored.map(async (proposal) => withInterruption(proposal, await self())));
  };
  return {
    self,
    read: () => withFileErrors("PROPOSALS_FAILED", path, readAll),
    ancestors: async () => await listAncestors(await self()),
    createId: () => Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join(""),
    put: (nowMs, decide) =>
      withFileErrors("PROPOSALS_FAILED", path, async () => {
        await attempt("write", path, () => createFolder(dirname(path)));
        return await locks.withLock({ target: path, path }, async (nonce) => {
          // The values of one that expired must not stay on the disk.
          const all = (await readAll()).map((proposal) => withExpiry(proposal, nowMs));
          const next = decide(all);
          const isKnown = all.some(({ id }) => id === next.id);
          const kept = keepNewest(
            isKnown ? all.map((proposal) => (proposal.id === next.id ? next : proposal)) : [...all, next],
          );
          await replacePrivate({ target: path, path, nonce }, Buffer.from(renderProposals(kept)));
          return next;
        });
      }),
  };
}

/** A process of another machine or container cannot be looked up, so its proposal stays `running`. */
async function withInterruption(proposal: StoredProposal, self: UniqueProcess): Promise<StoredProposal> {
  const { state, runner } = proposal;
  if (state !== "running" || runner === undefined) return proposal;
  if (runner.host !== self.host || runner.pidNamespace !== self.pidNamespace) return proposal;
  const isAlive = runner.bootId === self.bootId && (await isRunning(runner, self));
  return isAlive ? proposal : { ...proposal, state: "interrupted", input: {} };
}
