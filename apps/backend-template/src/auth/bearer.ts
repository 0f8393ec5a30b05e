import { errors, jwtVerify } from "jose";

/** Returns the subject of a valid token; `undefined` for any other token. */
export type CheckToken = (token: string) => Promise<string | undefined>;

/** HS256 is only as strong as its secret. */
const MIN_SECRET_BYTES = 32;

/**
 * Checks tokens signed with `SVC_JWT_TOKEN_SECRET_KEY` by HS256: signature, issuer and audience, a subject, and an
 * expiry in the future.
 *
 * @returns `undefined` without the secret; no token is accepted then
 * @throws {Error} if the secret is short, or issuer or audience is missing.
 */
export function createTokenCheck(env: Readonly<Record<string, string | undefined>>): CheckToken | undefined {
  const text = env["SVC_JWT_TOKEN_SECRET_KEY"];
  if (!text) return undefined;
  const secret = new TextEncoder().encode(text);
  if (secret.byteLength < MIN_SECRET_BYTES) {
    throw new Error(`SVC_JWT_TOKEN_SECRET_KEY is too short; accepted: at least ${MIN_SECRET_BYTES} bytes`);
  }
  const [issuer, audience] = [env["SVC_JWT_ISSUER"], env["SVC_JWT_AUDIENCE"]];
  if (!issuer || !audience) throw new Error("SVC_JWT_TOKEN_SECRET_KEY needs SVC_JWT_ISSUER and SVC_JWT_AUDIENCE");
  const options = { algorithms: ["HS256"], issuer, audience, requiredClaims: ["exp", "sub"] };
  return async (token) => {
    try {
      return (await jwtVerify(token, secret, options)).payload.sub;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };
}
