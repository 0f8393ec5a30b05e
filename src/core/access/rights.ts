import { type Limits, roles, type Right, type Role } from "../api/rights.ts";
import type { Access, Identity } from "./operation.ts";
import { SvcmError } from "../api/errors.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasHost } from "../files/ports.ts";

/** A viewer cannot read log lines, because these may contain customer data. */
export const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ["read"],
  operator: ["read", "logs", "act"],
  editor: ["read", "logs", "act", "write"],
  admin: ["read", "logs", "act", "write", "admin"],
};

/** A caller on loopback has these. Only an admin manages tokens. */
export const rightsWithoutTokens: readonly Right[] = rightsOf.editor;

export function weakestRole(right: Right): Role {
  return roles.find((role) => rightsOf[role].includes(right)) ?? "admin";
}

export function rightRefusal({ actor = "", role }: Identity, access: Access): SvcmError {
  if (role === undefined) return new SvcmError("UNAUTHORIZED");
  const needed = weakestRole(access);
  const ofRole = needed === "admin" ? "admin" : `${needed} or a stronger role`;
  const accepted = access === "propose" ? "a token that an admin created with --propose" : ofRole;
  return new SvcmError("FORBIDDEN", {
    code: "RIGHT_MISSING",
    details: `The token ${JSON.stringify(actor)} has the role ${role}. Accepted: ${accepted}. An admin creates tokens with svcm token create.`,
  });
}

/** @param requested the environments and services of the request */
export function limitRefusal(
  { actor = "" }: Identity,
  { environments, services }: Limits,
  requested: string,
): SvcmError {
  const accepted = [
    ...(environments === undefined ? [] : [`environment ${environments.join(" or ")}`]),
    ...(services === undefined ? [] : [`service ${services.join(" or ")}`]),
  ];
  return new SvcmError("FORBIDDEN", {
    code: "TOKEN_LIMITED",
    details: `The token ${JSON.stringify(actor)} is limited, and the request concerns ${requested}. Accepted: ${accepted.join(", ")}.`,
  });
}

const PURPOSE = "svcm server identity";
const LENGTH = 22;

/**
 * Stays the same for one machine and root, across restarts, ports and addresses. The text reveals neither the machine
 * nor the root.
 */
export async function serverIdentity({ host, workspace }: HasHost & HasWorkspace): Promise<string> {
  const subject = [PURPOSE, await host.machineId(), workspace.root].join("\0");
  return host.digest(new TextEncoder().encode(subject)).slice(0, LENGTH);
}
