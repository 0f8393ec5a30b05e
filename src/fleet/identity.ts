import { rights } from "../core/api/rights.ts";
import { isGranted, rightsOf, SvcmError, type Identity, type NatsProject } from "../core/index.ts";
import type { Asker } from "./wire.ts";

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
