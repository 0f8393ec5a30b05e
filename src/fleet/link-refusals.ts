import { NoRespondersError, PermissionViolationError, TimeoutError } from "@nats-io/transport-node";
import { SvcmError } from "../core/index.ts";

export function connectError(error: unknown, servers: readonly string[]): SvcmError {
  const { message, name } = error as Error;
  const where = redactServers(servers).join(", ");
  if (/certificate|\btls\b/i.test(message))
    return new SvcmError("FLEET_FAILED", {
      code: "FLEET_UNTRUSTED",
      details: `The NATS server at ${where} is not trusted: ${message.slice(0, 200)}. Accepted: a certificate with the host of the address, signed by a known authority or by the one of SVC_SERVICE_MANAGEMENT_NATS_CA.`,
    });
  const isRefused = /auth|credentials/i.test(`${name} ${message}`);
  return isRefused
    ? new SvcmError("FLEET_FAILED", {
        code: "FLEET_REFUSED",
        details: `The NATS server at ${where} does not accept the credentials. SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS names their file.`,
      })
    : new SvcmError("FLEET_FAILED", {
        code: "FLEET_UNREACHABLE",
        details: `No NATS server answers at ${where}. Start it, or name another one with --nats or SVC_SERVICE_MANAGEMENT_NATS_URL.`,
      });
}

export function redactServers(servers: readonly string[]): string[] {
  return servers.map((server) => server.replace(/\/\/[^@/]*@/, "//"));
}

export const CONNECTION_LOST = "The connection to the NATS server was lost. A change may still be in progress.";

/** @returns a refusal unchanged */
export function requestError(error: unknown): SvcmError {
  if (error instanceof SvcmError) return error;
  const is = (kind: new (...args: never[]) => Error): boolean =>
    error instanceof kind || (error as Error).cause instanceof kind;
  if (is(NoRespondersError))
    return unreachableError(
      "No svcm answers on that node, or the NATS server lacks the newest output of svcm nats config.",
    );
  if (is(PermissionViolationError))
    return new SvcmError("FORBIDDEN", {
      code: "NODE_FORBIDDEN",
      details: "The NATS server does not permit this request to this user.",
    });
  if (is(TimeoutError))
    return new SvcmError("FLEET_FAILED", {
      code: "NODE_TIMEOUT",
      details: "It did not answer before the deadline. A change may still be in progress.",
    });
  return unreachableError((error as Error).message);
}

/** True if the server or a node did not respond, so that another attempt may succeed. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof SvcmError && error.kind === "FLEET_FAILED" && error.body.code !== "FLEET_NOT_SET_UP";
}

export function unreachableError(details: string): SvcmError {
  return new SvcmError("FLEET_FAILED", { code: "NODE_UNREACHABLE", details });
}
