/** Rights. An operation needs one of them, and each caller has some. */
export const rights = ["read", "logs", "act", "write", "admin"] as const;
export type Right = (typeof rights)[number];

/** Of a token, the weakest first. */
export const roles = ["viewer", "operator", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/** The name of a token, and of an actor in the audit log. */
export const tokenNames = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
