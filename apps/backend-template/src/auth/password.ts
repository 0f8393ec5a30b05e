/** Passwords as scrypt hashes in the PHC format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, base64 without padding. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

export interface PasswordHash {
  /** The base-2 logarithm of the cost. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** The recommendation of OWASP: 32 MiB, about a tenth of a second. */
const COST = { ln: 15, r: 8, p: 3 };
/** Limits the cost to 512 MiB. */
const PHC = /^\$scrypt\$ln=(1[0-8]),r=([1-9]|1[0-6]),p=([1-9]|1[0-6])\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;
/** Each hash takes a thread and 32 MiB, so not too many run at once. */
const limited = limitConcurrency(2);

/** @returns a hash with a new salt, in the format of the users' file. */
export async function hashPassword(password: string, cost: Readonly<typeof COST> = COST): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, { ...cost, salt, hash: Buffer.alloc(32) });
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(hash)}`;
}

export function parseHash(text: string): PasswordHash | undefined {
  const [match, ln, r, p, salt = "", hash = ""] = PHC.exec(text) ?? [];
  if (match === undefined) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return { ...cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

/** Takes as long for a wrong password as for the right one. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(password, expected), expected.hash);
}

/** A hash of no password, as expensive to check as `like`. */
export function createDecoy({ ln, r, p, hash }: PasswordHash): PasswordHash {
  return { ln, r, p, salt: randomBytes(16), hash: randomBytes(hash.length) };
}

function derive(password: string, { ln, r, p, salt, hash }: PasswordHash): Promise<Buffer> {
  const N = 2 ** ln;
  const options = { N, r, p, maxmem: 256 * N * r };
  return limited(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize("NFC"), salt, hash.length, options, (error, key) => {
          if (error) reject(error);
          else resolve(key);
        });
      }),
  );
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

function limitConcurrency(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
