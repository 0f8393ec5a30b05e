/** Authentication for HTTP, WebSocket and gRPC alike. */

type Env = Readonly<Record<string, string | undefined>>;

export interface Credentials {
  /** `Basic <base64>` or `Bearer <token>`. */
  readonly authorization: string | undefined;
  readonly address: string;
}

/** A user, or the refusal, whose text does not reveal what was wrong. */
export type Verdict =
  | { readonly user: string }
  | { readonly error: "Unauthorized." }
  | { readonly error: "Too many login attempts."; readonly retryAfterSeconds: number };

export interface Authentication {
  /** The accepted schemes, as `WWW-Authenticate` lists them. */
  readonly challenge: string;
  authenticate(credentials: Credentials): Promise<Verdict>;
  close(): Promise<void>;
}

/**
 * Opens authentication as `SVC_ENABLE_BASIC_AUTH` says. The token and login checks are loaded only if it is `yes`.
 *
 * @returns `undefined` if it is `no`, or unset
 * @throws {Error} for another value, or for `yes` without an account.
 */
export async function openAuthentication(keyValueDriver: string, env: Env): Promise<Authentication | undefined> {
  const setting = env["SVC_ENABLE_BASIC_AUTH"]?.trim() || "no";
  if (setting === "no") return undefined;
  if (setting === "yes") return (await import("./gate.ts")).openGate(keyValueDriver, env);
  throw new Error(`SVC_ENABLE_BASIC_AUTH: unsupported value ${JSON.stringify(setting)}; accepted: yes, no`);
}
