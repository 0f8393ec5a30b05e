import { createHash, timingSafeEqual } from "node:crypto";

export type TokenCheck = (authorization: string | undefined) => boolean;

/** Compares digests in constant time, so neither content nor length leaks. */
export function tokenCheck(token: string): TokenCheck {
  const expected = digest(Buffer.from(token, "utf8"));
  return (authorization = "") => {
    const [, given] = /^bearer +(.+)$/i.exec(authorization) ?? [];
    // Node decodes header bytes as Latin-1.
    return given !== undefined && timingSafeEqual(digest(Buffer.from(given, "latin1")), expected);
  };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
