import {
  Metadata,
  ServerInterceptingCall,
  ServerListenerBuilder,
  status,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { Authentication } from "../../auth/authentication.ts";

type Status = Parameters<ServerInterceptingCallInterface["sendStatus"]>[0];

/** Health checks reveal nothing secret, and the clients that request them have no credentials. */
const PUBLIC_SERVICE = "/grpc.health.v1.Health/";

export function requireUser(authentication: Authentication): ServerInterceptor {
  return ({ path }, call) => {
    if (path.startsWith(PUBLIC_SERVICE)) return new ServerInterceptingCall(call);
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => void authenticateCall(authentication, call, metadata, next))
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

async function authenticateCall(
  authentication: Authentication,
  call: ServerInterceptingCallInterface,
  metadata: Metadata,
  next: (metadata: Metadata) => void,
): Promise<void> {
  try {
    const refusal = await checkCredentials(authentication, call, metadata);
    if (refusal) call.sendStatus(refusal);
    else next(metadata);
  } catch (error) {
    console.error(error);
    call.sendStatus({ code: status.INTERNAL, details: "Internal error." });
  }
}

/** `undefined` if the call may continue. */
async function checkCredentials(
  authentication: Authentication,
  call: ServerInterceptingCallInterface,
  metadata: Metadata,
): Promise<Status | undefined> {
  const [authorization] = metadata.get("authorization");
  const verdict = await authentication.authenticate({
    authorization: authorization?.toString(),
    address: call
      .getPeer()
      .replace(/:\d+$/, "")
      .replace(/^\[(.*)\]$/, "$1"),
  });
  if ("user" in verdict) return undefined;
  if (!("retryAfterSeconds" in verdict)) return { code: status.UNAUTHENTICATED, details: verdict.error };
  const trailers = new Metadata();
  trailers.set("retry-after", `${verdict.retryAfterSeconds}`);
  return { code: status.RESOURCE_EXHAUSTED, details: verdict.error, metadata: trailers };
}
