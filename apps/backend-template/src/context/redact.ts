import type { Store } from "./registry.ts";

const SECRET_NAME = /secret|token|password|passwd|pwd|key|credential|auth|cookie|session|private/i;
const USERINFO = /\/\/[^/\s]*@/;

/** A copy in which secret-like members and URLs with credentials are `[REDACTED]`. */
export function redact(store: Store): Store {
  return Object.fromEntries(
    Object.entries(store).map(([name, value]) => [name, isSecret(name, value) ? "[REDACTED]" : value]),
  );
}

function isSecret(name: string, value: Store[string]): boolean {
  return SECRET_NAME.test(name) || (typeof value === "string" && USERINFO.test(value));
}
