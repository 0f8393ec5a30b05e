import { rights } from "../core/api/rights.ts";
import {
  isGranted,
  rightRefusal,
  rightsOf,
  type Identity,
  type Operation,
  SvcmError,
  type NatsProject,
} from "../core/index.ts";
import type { Asker } from "./wire.ts";
import type { Incoming } from "./link.ts";
import { parseAddress, replyPrefix } from "./subjects.ts";

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

/** @throws {SvcmError} RIGHT_MISSING for a user that svcm.yaml does not name */
export function requireKnownUser(user: Identity, { access }: Pick<Operation<never, unknown>, "access">): Identity {
  if (user.role === undefined) throw rightRefusal(user, access);
  return user;
}

/**
 * True if the reply goes to the user in the subject. The NATS server vouches for the user who publishes, but it also
 * sends stored messages to a subject that their reader chooses. Such a message does not have a user's reply subject.
 */
export function repliesToUser({ subject, reply }: Incoming): boolean {
  const address = parseAddress(subject);
  return address !== undefined && reply.startsWith(`${replyPrefix(address)}.`);
}

/** @returns the user @throws {SvcmError} FORBIDDEN with REQUEST_FORGED */
export function requireUser(message: Incoming): string | undefined {
  if (repliesToUser(message)) return parseAddress(message.subject)?.user;
  throw new SvcmError("FORBIDDEN", {
    code: "REQUEST_FORGED",
    details:
      "The answer would not go to the user that the request names, so the NATS server does not vouch for that user.",
  });
}
