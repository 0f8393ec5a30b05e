import { isSecretName } from "../secrets/secret-name.ts";

export interface DriftingKey {
  readonly key: string;
  readonly state: "different" | "absent" | "stale";
}

type Digests = Readonly<Record<string, string>>;

/** Keys that svcm and its backends are configured by. */
const OURS = /^SVC_/;
/** svcm's own settings come from whoever starts it. */
const OF_SVCM = /^SVC_SERVICE_MANAGEMENT_/;

/**
 * The declared keys that a process has with another value, or lacks, and those that are stale.
 *
 * PM2 starts an app with its declared environment laid over that of whoever called it, and keeps no
 * note of which key came from where. So a key that is not declared (any more) cannot be told from
 * the caller's `PATH` or `EDITOR` in general. A key that begins with `SVC_` can: the process reads
 * it, and it beats the line of an env file. Such a key is stale, but for svcm's own settings and
 * for names of secrets, which are handed in from outside on purpose.
 *
 * @param visibleKeys keys that the runtime contract shows: none is a secret, whatever its name
 */
export function driftingKeys(declared: Digests, running: Digests, visibleKeys: ReadonlySet<string>): DriftingKey[] {
  const differing = Object.entries(declared).flatMap(([key, digest]): DriftingKey[] => {
    if (!Object.hasOwn(running, key)) return [{ key, state: "absent" }];
    return running[key] === digest ? [] : [{ key, state: "different" }];
  });
  const stale = Object.keys(running).filter((key) => !Object.hasOwn(declared, key) && isStale(key, visibleKeys));
  return [...differing, ...stale.map((key): DriftingKey => ({ key, state: "stale" }))];
}

function isStale(key: string, visibleKeys: ReadonlySet<string>): boolean {
  if (visibleKeys.has(key)) return true;
  return OURS.test(key) && !OF_SVCM.test(key) && !isSecretName(key);
}
