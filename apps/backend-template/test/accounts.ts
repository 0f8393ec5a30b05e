/** Accounts for one test: a users' file, and the credentials that a client sends. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hashPassword } from "../src/auth/password.ts";

/** A low cost makes the test fast; it is the lowest that is accepted. */
const COST = { ln: 10, r: 1, p: 1 };

export const PASSWORD = "canary: correct horse ünicode";
export const SECRET = "a canary secret of more than thirty-two bytes";

const hash = await hashPassword(PASSWORD, COST);

export function withAlice(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const file = join(temporaryFolder(), "users");
  writeFileSync(file, `# accounts\n\nalice:${hash}\n`);
  return {
    SVC_ENABLE_BASIC_AUTH: "yes",
    SVC_AUTH_USERS_FILE: file,
    SVC_AUTH_MAX_LOGIN_ATTEMPTS: "3",
    SVC_JWT_TOKEN_SECRET_KEY: SECRET,
    SVC_JWT_ISSUER: "svcm-backend",
    SVC_JWT_AUDIENCE: "svcm-clients",
    ...more,
  };
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** Returns a valid token, changed by the given claims, secret or algorithm. */
export async function bearer(
  claims: Readonly<Record<string, unknown>> = {},
  secret = SECRET,
  alg = "HS256",
): Promise<string> {
  const soon = Math.floor(Date.now() / 1000) + 600;
  const payload = { iss: "svcm-backend", aud: "svcm-clients", sub: "alice", exp: soon, ...claims };
  const token = await new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
  return `Bearer ${token}`;
}

export const CANARIES = /canary|correct horse|\$scrypt\$/;
