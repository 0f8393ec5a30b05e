import { readFileSync } from "node:fs";
import { createDecoy, isPassword, parseHash, type PasswordHash } from "./password.ts";

export interface Users {
  /** Takes the same time in every case, even for an unknown name. */
  check(name: string, password: string): Promise<boolean>;
}

const LINE = /^([^:\p{Cc}]{1,64}):(\S+)$/u;
const HINT = "`npm run --silent user -- <name> >> <file>` adds an account";

/**
 * Reads the file: one `name:hash` per line; empty lines and lines that begin with `#` are ignored.
 *
 * @throws {Error} if it cannot be read, has no account, or has an invalid line. No line is ever quoted.
 */
export function readUsers(path: string | undefined): Users {
  if (!path) throw new Error(`SVC_ENABLE_BASIC_AUTH=yes needs SVC_AUTH_USERS_FILE, a file of accounts; ${HINT}`);
  const accounts = new Map<string, PasswordHash>();
  for (const [index, line] of readUsersFile(path).split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name = "", hash = ""] = LINE.exec(line) ?? [];
    const parsed = parseHash(hash);
    const location = `SVC_AUTH_USERS_FILE: line ${index + 1} of ${path}`;
    if (!parsed) throw new Error(`${location} is not an account; accepted: name:$scrypt$...; ${HINT}`);
    if (accounts.has(name)) throw new Error(`${location} has a name that another line has`);
    accounts.set(name, parsed);
  }
  const costliest = [...accounts.values()].toSorted((a, b) => b.ln * b.r * b.p - a.ln * a.r * a.p)[0];
  if (!costliest) throw new Error(`SVC_AUTH_USERS_FILE: ${path} has no account; ${HINT}`);
  const decoy = createDecoy(costliest);
  return {
    async check(name, password) {
      const account = accounts.get(name);
      const isCorrect = await isPassword(password, account ?? decoy);
      return isCorrect && account !== undefined;
    },
  };
}

function readUsersFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new Error(`SVC_AUTH_USERS_FILE: ${path} cannot be read (${code}); ${HINT}`, { cause: error });
  }
}
