import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type BigIntStats } from "node:fs";
import { dirname, join } from "node:path";
import { foreignCode } from "../api/code.ts";
import { SvcmError } from "../errors.ts";
import { parseTokens, TOKENS_FILE, renderTokens, type StoredToken } from "../identity/tokens.ts";
import { FileError, type Files } from "../ports/index.ts";
import type { Tokens } from "../ports/tokens.ts";
import { once } from "../words/once.ts";
import { createFolder } from "./files/folder.ts";
import { attempting } from "./files/file-error.ts";
import { writeNew } from "./files/write.ts";
import { fileState, isRefusal, SAFELY } from "./files/system.ts";

const MOST_BYTES = 2 ** 20;
const SECRET_BYTES = 32;
const OTHERS = 0o077n;

export function nodeTokens(root: string, files: Pick<Files, "replace">): Tokens {
  const path = join(root, TOKENS_FILE);
  let last: { readonly state: string; readonly tokens: readonly StoredToken[] } | undefined;
  return {
    now() {
      const stats = stateOf(path);
      if (stats === undefined) return undefined;
      const state = fileState(stats);
      if (last?.state !== state) last = { state, tokens: parseTokens(readPrivate(path), path) };
      return last.tokens;
    },
    async change(decide, beforeWrite) {
      const announce = once(beforeWrite);
      const decideText = (current: Uint8Array): Uint8Array => {
        const tokens = parseTokens(new TextDecoder().decode(current), path);
        return new TextEncoder().encode(renderTokens(decide(tokens)));
      };
      await failing(path, async () => {
        if (stateOf(path) === undefined) await create(path, () => void decide([]), announce);
        else readPrivate(path);
        await files.replace(path, decideText, announce);
      });
    },
    make: () => `svcm_${randomBytes(SECRET_BYTES).toString("base64url")}`,
  };
}

/** An empty list already closes writes without a token. */
async function create(path: string, check: () => void, announce: () => Promise<void>): Promise<void> {
  check();
  await announce();
  await attempting("write", path, async () => {
    await createFolder(dirname(path));
    try {
      await writeNew(path, Buffer.from(renderTokens([])), 0o600);
    } catch (error) {
      if (!isRefusal(error, "EEXIST")) throw error;
    }
  });
}

function stateOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isRefusal(error, "ENOTDIR")) return undefined;
    throw unusable(path, (error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  }
}

/** @throws {SvcmError} if other users may read or change the file */
function readPrivate(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | SAFELY);
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile()) throw unusable(path, "ENOTREG");
    if (stats.size > MOST_BYTES) throw unusable(path, "EFBIG");
    if ((stats.mode & OTHERS) !== 0n) throw unusable(path, "EPERM", "other users may read or change it; run chmod 600");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof SvcmError) throw error;
    throw unusable(path, (error as NodeJS.ErrnoException).code ?? "EUNKNOWN");
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function failing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SvcmError("TOKENS_FAILED", { code: error.code, path, details: error.message });
  }
}

function unusable(path: string, code: string, reason = "it cannot be read"): SvcmError {
  return new SvcmError("TOKENS_FAILED", {
    code: foreignCode(code),
    path,
    details: `${path}: ${reason}. Accepted: a regular file of at most 1 MiB with mode 0600.`,
  });
}
