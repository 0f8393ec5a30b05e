/** An operation requires one right; each caller has a set of rights. */
export const rights = ["read", "logs", "act", "write", "admin"] as const;
export type Right = (typeof rights)[number];

/** The roles of tokens, weakest first. */
export const roles = ["viewer", "operator", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/** Valid names of tokens, which are also the actors in the audit log. */
export const tokenNames = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
