import type { appKinds } from "../api/names.ts";
import type { Settings } from "../pm2/settings.ts";

/**
 * `service`: runs until a user stops it. `job`: a schedule starts it and it ends by itself, so it is in place while
 * it waits. `task`: runs once and ends by itself.
 * @see CONTRACT section 13, "Jobs"
 */
export type AppKind = (typeof appKinds)[number];

export function appKind({ autorestart, cronRestart }: Settings): AppKind {
  if (autorestart !== false) return "service";
  return typeof cronRestart === "string" ? "job" : "task";
}
