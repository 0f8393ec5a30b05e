import type { Files } from "../files/ports.ts";
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type BigIntStats } from "node:fs";
import { dirname, join } from "node:path";
import { foreignCode } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import { parseTokens, TOKENS_FILE, renderTokens, type StoredToken } from "./tokens.ts";

import type { Tokens } from "./ports.ts";
import { once } from "../words/once.ts";
import { attempt, fileState, fsync, hasErrorCode, NO_FOLLOW, O_RDWR, withFile, writeAll } from "../files/system.ts";
import { withFileErrors } from "../files/private-files.ts";
import { createFolder, PRIVATE_FILE, writeNew } from "../files/write.ts";

const MAX_BYTES = 2 ** 20;
const SECRET_BYTES = 32;
const PERMISSIONS_OF_OTHERS = 0o077n;

/** @param folder that of svcm's own files */
export function nodeTokens(folder: string, files: Pick<Files, "replace">): Tokens {
  const path = join(folder, TOKENS_FILE);
  let cached: { readonly state: string; readonly tokens: readonly StoredToken[] } | undefined;
  return {
    current() {
      const stats = readStats(path);
      if (stats === undefined) return undefined;
      const state = fileState(stats);
      if (cached?.state !== state) cached = { state, tokens: parseTokens(readPrivateFile(path), path) };
      return cached.tokens;
    },
    async update(decide, beforeWrite) {
      const announce = once(beforeWrite);
      const decideText = (current: Uint8Array): Uint8Array => {
        const tokens = parseTokens(new TextDecoder().decode(current), path);
        return new TextEncoder().encode(renderTokens(decide(tokens)));
      };
      await withFileErrors("TOKENS_FAILED", path, async () => {
        if (readStats(path) === undefined) await createFile(path, () => void decide([]), announce);
        else readPrivateFile(path);
        await files.replace(path, decideText, announce).catch(async (error: unknown) => {
          const next = hasErrorCode(error, "ENOSPC", "EDQUOT") && shrunk(readPrivateFile(path), decideText);
          if (!next) throw error;
          await announce();
          await attempt("write", path, () => withFile(path, O_RDWR | NO_FOLLOW, (fd) => overwrite(fd, next)));
        });
      });
    },
    createSecret: () => `svcm_${randomBytes(SECRET_BYTES).toString("base64url")}`,
  };
}

/**
 * A right must also end on a full disk, so fewer tokens take the place of the former ones, and blanks follow. If that is cut off,
 * the file is damaged, and no token of it is valid.
 */
function shrunk(text: string, decide: (current: Uint8Array) => Uint8Array): Uint8Array | undefined {
  const [current, next] = [Buffer.from(text), decide(Buffer.from(text))];
  return next.length < current.length ? current.fill(" ").fill(next, 0, next.length) : undefined;
}

async function overwrite(fd: number, bytes: Uint8Array): Promise<void> {
  await writeAll(fd, bytes);
  await fsync(fd);
}

/** An empty list already closes writes without a token. */
async function createFile(path: string, check: () => void, announce: () => Promise<void>): Promise<void> {
  check();
  await announce();
  await attempt("write", path, async () => {
    await createFolder(dirname(path));
    try {
      await writeNew(path, Buffer.from(renderTokens([])), PRIVATE_FILE);
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
  });
}

function readStats(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (hasErrorCode(error, "ENOTDIR")) return undefined;
    throw unusableError(path, (error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  }
}

/** @throws {SvcmError} if other users may read or change the file */
function readPrivateFile(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | NO_FOLLOW);
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile()) throw unusableError(path, "ENOTREG");
    if (stats.size > MAX_BYTES) throw unusableError(path, "EFBIG");
    if ((stats.mode & PERMISSIONS_OF_OTHERS) !== 0n)
      throw unusableError(path, "EPERM", "other users may read or change it; run chmod 600");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof SvcmError) throw error;
    throw unusableError(path, (error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function unusableError(path: string, code: string, reason = "it cannot be read"): SvcmError {
  return new SvcmError("TOKENS_FAILED", {
    code: foreignCode(code),
    path,
    details: `${path}: ${reason}. Accepted: a regular file of at most 1 MiB with mode 0600.`,
  });
}
