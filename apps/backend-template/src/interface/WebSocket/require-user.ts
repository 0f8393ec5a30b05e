import type { Socket } from "socket.io";
import type { Authentication } from "../../auth/authentication.ts";

/** The client reads it as `error.data` of its `connect_error`. */
interface Refusal {
  readonly status: 401 | 429;
  readonly retryAfterSeconds?: number;
}

/**
 * Reads the header `Authorization` of the handshake, or `auth: { authorization }`, because a browser cannot set the
 * header.
 */
export function requireUser(authentication: Authentication) {
  return (socket: Socket, next: (error?: Error) => void): void => void authenticateSocket(authentication, socket, next);
}

async function authenticateSocket(
  authentication: Authentication,
  socket: Socket,
  next: (error?: Error) => void,
): Promise<void> {
  try {
    next(await checkCredentials(authentication, socket));
  } catch (error) {
    console.error(error);
    next(new Error("Internal error."));
  }
}

async function checkCredentials(authentication: Authentication, { handshake }: Socket): Promise<Error | undefined> {
  const credential: unknown = handshake.auth["authorization"];
  const authorization = typeof credential === "string" ? credential : handshake.headers.authorization;
  const verdict = await authentication.authenticate({ authorization, address: handshake.address });
  if ("user" in verdict) return undefined;
  const data: Refusal =
    "retryAfterSeconds" in verdict ? { status: 429, retryAfterSeconds: verdict.retryAfterSeconds } : { status: 401 };
  return Object.assign(new Error(verdict.error), { data });
}
