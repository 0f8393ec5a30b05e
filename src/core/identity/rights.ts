import { roles, type Right, type Role } from "../api/rights.ts";

/** The rights of each role. Log lines may hold data of customers, so a viewer does not read them. */
export const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ["read"],
  operator: ["read", "logs", "act"],
  editor: ["read", "logs", "act", "write"],
  admin: ["read", "logs", "act", "write", "admin"],
};

/** The rights of a caller on loopback as long as there is no token. Only an admin manages tokens. */
export const rightsWithoutTokens: readonly Right[] = rightsOf.editor;

/** The weakest role with the right. */
export function roleWith(right: Right): Role {
  return roles.find((role) => rightsOf[role].includes(right)) ?? "admin";
}
