import { createHmac, randomBytes } from "node:crypto";
import type { Authentication, Credentials, Verdict } from "./authentication.ts";
import { createTokenCheck, type CheckToken } from "./bearer.ts";
import { attemptKey, openLoginLimit, type LoginLimit } from "./login-limit.ts";
import { readUsers, type Users } from "./users.ts";

const UNAUTHORIZED = { error: "Unauthorized." } as const;
/** A correct password is not hashed again for this long. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 1000;

/** @throws {Error} if there is no account, or a setting is invalid. */
export async function openGate(
  keyValueDriver: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Authentication> {
  const users = readUsers(env["SVC_AUTH_USERS_FILE"]);
  const checkToken = createTokenCheck(env);
  return new Gate(users, checkToken, await openLoginLimit(keyValueDriver, env));
}

class Gate implements Authentication {
  readonly challenge: string;
  readonly #users: Users;
  readonly #checkToken: CheckToken | undefined;
  readonly #limit: LoginLimit;
  /** Random for each process, so the digests in memory are useless elsewhere. */
  readonly #key = randomBytes(32);
  /** The expiry of each digest. */
  readonly #verified = new Map<string, number>();
  /** Attempts in progress, so that equal concurrent attempts count once. */
  readonly #attempts = new Map<string, Promise<Verdict>>();

  constructor(users: Users, checkToken: CheckToken | undefined, limit: LoginLimit) {
    this.#users = users;
    this.#checkToken = checkToken;
    this.#limit = limit;
    this.challenge = `Basic realm="backend", charset="UTF-8"${checkToken ? ', Bearer realm="backend"' : ""}`;
  }

  async authenticate({ authorization = "", address }: Credentials): Promise<Verdict> {
    const [, scheme = "", value = ""] = /^(\w+) +(\S+)$/.exec(authorization.trim()) ?? [];
    if (scheme.toLowerCase() === "bearer") return this.#token(value);
    const login = scheme.toLowerCase() === "basic" ? parseBasic(value) : undefined;
    return login ? this.#login(login, address) : UNAUTHORIZED;
  }

  close(): Promise<void> {
    return this.#limit.close();
  }

  async #token(token: string): Promise<Verdict> {
    const user = await this.#checkToken?.(token);
    return user === undefined ? UNAUTHORIZED : { user };
  }

  async #login({ user, password }: Login, address: string): Promise<Verdict> {
    const key = attemptKey(user, address);
    const seconds = await this.#limit.lockedFor(key);
    if (seconds > 0) return lockedOut(seconds);
    const digest = createHmac("sha256", this.#key).update(`${user}\0${password}`).digest("base64url");
    if ((this.#verified.get(digest) ?? 0) > Date.now()) return { user };
    const attemptId = `${key} ${digest}`;
    const running = this.#attempts.get(attemptId);
    if (running) return running;
    const verdict = this.#verify({ user, password }, key, digest).finally(() => this.#attempts.delete(attemptId));
    this.#attempts.set(attemptId, verdict);
    return verdict;
  }

  async #verify({ user, password }: Login, key: string, digest: string): Promise<Verdict> {
    const seconds = await this.#limit.begin(key);
    if (seconds > 0) return lockedOut(seconds);
    if (!(await this.#users.check(user, password))) {
      await this.#limit.fail(key);
      return UNAUTHORIZED;
    }
    await this.#limit.succeed(key);
    this.#remember(digest);
    return { user };
  }

  #remember(digest: string): void {
    this.#verified.delete(digest);
    this.#verified.set(digest, Date.now() + REMEMBERED_MS);
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > MAX_REMEMBERED && oldest !== undefined) this.#verified.delete(oldest);
  }
}

interface Login {
  readonly user: string;
  readonly password: string;
}

/** RFC 7617: base64 of `user:password`, in UTF-8. */
function parseBasic(value: string): Login | undefined {
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon > 0 ? { user: text.slice(0, colon), password: text.slice(colon + 1) } : undefined;
}

function lockedOut(retryAfterSeconds: number): Verdict {
  return { error: "Too many login attempts.", retryAfterSeconds };
}
