import { readFileSync } from "node:fs";
import { decoy, isPassword, parseHash, type PasswordHash } from "./password.ts";

export interface Users {
  /** Takes the same time in every case, even for an unknown name. */
  check(name: string, password: string): Promise<boolean>;
}

const LINE = /^([^:\p{Cc}]{1,64}):(\S+)$/u;
const HOW = "`npm run --silent user -- <name> >> <file>` adds an account";

/**
 * Reads the file: one `name:hash` per line; empty lines and lines that begin with `#` are ignored.
 *
 * @throws {Error} if it cannot be read, has no account, or has an invalid line. No line is ever quoted.
 */
export function readUsers(path: string | undefined): Users {
  if (!path) throw new Error(`SVC_ENABLE_BASIC_AUTH=yes needs SVC_AUTH_USERS_FILE, a file of accounts; ${HOW}`);
  const accounts = new Map<string, PasswordHash>();
  for (const [index, line] of textOf(path).split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name = "", hash = ""] = LINE.exec(line) ?? [];
    const parsed = parseHash(hash);
    const place = `SVC_AUTH_USERS_FILE: line ${index + 1} of ${path}`;
    if (!parsed) throw new Error(`${place} is not an account; accepted: name:$scrypt$...; ${HOW}`);
    if (accounts.has(name)) throw new Error(`${place} has a name that another line has`);
    accounts.set(name, parsed);
  }
  const costliest = [...accounts.values()].toSorted((a, b) => b.ln * b.r * b.p - a.ln * a.r * a.p)[0];
  if (!costliest) throw new Error(`SVC_AUTH_USERS_FILE: ${path} has no account; ${HOW}`);
  const stranger = decoy(costliest);
  return {
    async check(name, password) {
      const known = accounts.get(name);
      const isRight = await isPassword(password, known ?? stranger);
      return isRight && known !== undefined;
    },
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new Error(`SVC_AUTH_USERS_FILE: ${path} cannot be read (${code}); ${HOW}`, { cause: error });
  }
}
