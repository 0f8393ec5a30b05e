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
import { type Proposals, type StoredProposal, parseProposals, renderProposals } from "./port-proposals.ts";
import { isOpen, keepNewest, withExpiry } from "./decide.ts";

const MAX_BYTES = 16 * 2 ** 20;
const LOCK_TIMEOUT_MS = 5_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ID_LENGTH = 8;

/** @param folder that of svcm's own files */
export function nodeProposals(folder: string): Proposals {
  const path = join(folder, "proposals.json");
  const locks = fileLocks({ timeoutMs: LOCK_TIMEOUT_MS });
  const self = once(identifyProcess);
  const readStored = async (): Promise<readonly StoredProposal[]> => {
    const text = await withLogFile(path, async ({ fd, size }) => {
      if (size > MAX_BYTES) throw new FileError("EFBIG", path, `${path} is larger than 16 MiB.`);
      const bytes = Buffer.alloc(size);
      return bytes.toString("utf8", 0, await read(fd, bytes, 0));
    });
    return text === undefined ? [] : parseProposals(text, path);
  };
  const readAll = async (): Promise<readonly StoredProposal[]> =>
    await Promise.all((await readStored()).map(async (proposal) => withInterruption(proposal, await self())));
  const withoutInputs = async (nowMs: number): Promise<readonly StoredProposal[]> =>
    (await readAll()).map((proposal) => withExpiry(proposal, nowMs));
  return {
    self,
    forget: (nowMs) =>
      withFileErrors("PROPOSALS_FAILED", path, async () => {
        const stored = await readStored();
        const ended = new Set((await withoutInputs(nowMs)).filter((one) => !isOpen(one)).map(({ id }) => id));
        if (!stored.some(({ id, input }) => ended.has(id) && Object.keys(input).length > 0)) return;
        await locks.withLock({ target: path, path }, async (nonce) => {
          const text = renderProposals(keepNewest(await withoutInputs(nowMs)));
          await replacePrivate({ target: path, path, nonce }, Buffer.from(text));
        });
      }),
    read: () => withFileErrors("PROPOSALS_FAILED", path, readAll),
    ancestors: async () => await listAncestors(await self()),
    createId: () => Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join(""),
    put: (nowMs, decide) =>
      withFileErrors("PROPOSALS_FAILED", path, async () => {
        await attempt("write", path, () => createFolder(dirname(path)));
        return await locks.withLock({ target: path, path }, async (nonce) => {
          const all = await withoutInputs(nowMs);
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
