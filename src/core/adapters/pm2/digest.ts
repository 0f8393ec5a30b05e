import { createHmac } from "node:crypto";

/** The keyed digest of a value, to compare it without showing it. */
export function digestWith(salt: Uint8Array, value: string): string {
  return createHmac("sha256", salt).update(value).digest("base64url");
}
