import { rights } from "../core/api/rights.ts";
import { isGranted, rightsOf, SvcmError, type Identity, type NatsProject } from "../core/index.ts";
import type { Asker } from "./subjects.ts";
import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";

export function resolveIdentity(nats: NatsProject | undefined, user: string): Identity {
  const entry = nats !== undefined && Object.hasOwn(nats.users, user) ? nats.users[user] : undefined;
  if (entry === undefined) return { actor: user, grants: [] };
  const { role, environments, services } = entry;
  const isLimited = environments !== undefined || services !== undefined;
  return { actor: user, role, grants: rightsOf[role], ...(isLimited && { limits: { environments, services } }) };
}

/** A user who asks on behalf of another caller, as a server does, has only the rights that both have. */
export function narrowIdentity(user: Identity, asker: Asker | undefined): Identity {
  if (asker === undefined) return user;
  const { actor, grants, environments, services } = asker;
  const limits = {
    environments: intersect(user.limits?.environments, environments),
    services: intersect(user.limits?.services, services),
  };
  const isLimited = limits.environments !== undefined || limits.services !== undefined;
  const granted = rights.filter((right) => isGranted(user.grants, right) && isGranted(grants, right));
  return {
    ...user,
    actor: `${actor} via ${user.actor}`,
    grants: granted,
    ...(isLimited && { limits }),
  };
}

function intersect(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((name) => other.includes(name));
}

/** @throws {SvcmError} UNAUTHORIZED with NATS_USER_UNKNOWN for a user that svcm.yaml does not name */
export function requireKnownUser(user: Identity): Identity {
  if (user.role !== undefined) return user;
  throw new SvcmError("UNAUTHORIZED", {
    code: "NATS_USER_UNKNOWN",
    details: `The svcm.yaml of the node names no user ${JSON.stringify(user.actor)} under nats.users.`,
  });
}

/** An IPv6 address has no brackets. */
export function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

/** TLS compares with this name if the client names no host. */
const UNNAMED = "localhost";

/**
 * The NATS client names no host if its address is an IP address. The certificate must then be that of one of the
 * addresses.
 */
export function identityCheck(servers: readonly string[]): Required<Pick<ConnectionOptions, "checkServerIdentity">> {
  const hosts = servers.flatMap((server) => (URL.canParse(server) ? [hostOf(server)] : []));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return {
    checkServerIdentity: (name, certificate) => {
      const names = name === UNNAMED && !hosts.includes(UNNAMED) && addresses.length > 0 ? addresses : [name];
      const problems = names.map((host) => checkServerIdentity(host, certificate));
      return problems.includes(undefined) ? undefined : problems[0];
    },
  };
}

/** One message of any key ends an older server, whatever its configuration. */
export const OLDEST_NATS = "2.10.27";

/** @param version of the server's greeting, for example `2.10.27` or `2.11.0-RC.1` */
export function isSupportedVersion(version = ""): boolean {
  const [parts, oldest] = [version, OLDEST_NATS].map((text) => /^(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (parts === undefined || oldest === undefined) return false;
  const at = parts.findIndex((part, index) => part !== oldest[index]);
  return at === -1 || (parts[at] ?? 0) > (oldest[at] ?? 0);
}

/** @throws {SvcmError} FLEET_FAILED with NATS_TOO_OLD */
export function requireSupportedVersion(version: string | undefined): void {
  if (isSupportedVersion(version)) return;
  throw new SvcmError("FLEET_FAILED", {
    code: "NATS_TOO_OLD",
    details: `The NATS server has the version ${JSON.stringify((version ?? "unknown").slice(0, 40))}. Accepted: ${OLDEST_NATS} or newer, because one message of any key ends an older server. Debian 13 has it: install that package, then restart the server.`,
  });
}
