import { roles, type Right, type Role } from "../api/rights.ts";

/** A viewer cannot read log lines, because these may contain customer data. */
export const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ["read"],
  operator: ["read", "logs", "act"],
  editor: ["read", "logs", "act", "write"],
  admin: ["read", "logs", "act", "write", "admin"],
};

/** A caller on loopback has these. Only an admin manages tokens. */
export const rightsWithoutTokens: readonly Right[] = rightsOf.editor;

export function roleWith(right: Right): Role {
  return roles.find((role) => rightsOf[role].includes(right)) ?? "admin";
}
