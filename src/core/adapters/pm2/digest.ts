import { createHmac } from "node:crypto";

export function digestWith(salt: Uint8Array, value: string): string {
  return createHmac("sha256", salt).update(value).digest("base64url");
}
