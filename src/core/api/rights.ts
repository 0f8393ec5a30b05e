/** An operation requires one of these. No role includes `propose`: a token gets it with `--propose`. */
export const rights = ["read", "logs", "act", "write", "admin", "propose"] as const;
export type Right = (typeof rights)[number];

/** Weakest first. */
export const roles = ["viewer", "operator", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/** Also the actors in the audit log. */
export const tokenNames = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A missing list means all. */
export interface Limits {
  /** Canonical names. */
  readonly environments?: readonly string[] | undefined;
  readonly services?: readonly string[] | undefined;
}
