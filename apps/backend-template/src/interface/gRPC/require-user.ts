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
const OPEN = "/grpc.health.v1.Health/";

export function requireUser(authentication: Authentication): ServerInterceptor {
  return ({ path }, call) => {
    if (path.startsWith(OPEN)) return new ServerInterceptingCall(call);
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => void admit(authentication, call, metadata, next))
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

async function admit(
  authentication: Authentication,
  call: ServerInterceptingCallInterface,
  metadata: Metadata,
  next: (metadata: Metadata) => void,
): Promise<void> {
  try {
    const refusal = await refuseStranger(authentication, call, metadata);
    if (refusal) call.sendStatus(refusal);
    else next(metadata);
  } catch (error) {
    console.error(error);
    call.sendStatus({ code: status.INTERNAL, details: "Internal error." });
  }
}

/** `undefined` if the call may continue. */
async function refuseStranger(
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
