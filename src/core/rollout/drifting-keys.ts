import { isSecretName } from "../secrets/secret-name.ts";
import { isFromDeclaration, isStartedBySvcm } from "../pm2/inherited.ts";

export interface DriftingKey {
  readonly key: string;
  readonly state: "different" | "absent" | "stale";
}

type Digests = Readonly<Record<string, string>>;

export interface KeyContext {
  readonly app: string;
  /** Keys that the runtime contract shows: none is a secret, whatever its name. */
  readonly visibleKeys: ReadonlySet<string>;
  readonly openKeys: readonly string[];
  /** Keys that the declaration set when it was last applied. */
  readonly formerKeys: readonly string[];
}

/** Keys that svcm and its backends are configured by; svcm's own settings come from the user who starts it. */
const OURS = /^SVC_(?!SERVICE_MANAGEMENT_)/;

/**
 * The declared keys that a process lacks or has with another value, and the stale ones: keys that it still has although
 * the file does not declare them.
 *
 * PM2 lays the declared environment over that of its caller and keeps no note of the origin of a key. svcm gives PM2 a
 * small known environment, so in a process that svcm started every other key is from a declaration. In a process that a
 * user started with PM2, any key without the prefix `SVC_` may come from the shell, and a secret is handed in on purpose.
 * A key that an apply set is not such a key.
 */
export function driftingKeys(declared: Digests, running: Digests, context: KeyContext): DriftingKey[] {
  const differing = Object.entries(declared).flatMap(([key, digest]): DriftingKey[] => {
    if (!Object.hasOwn(running, key)) return [{ key, state: "absent" }];
    return running[key] === digest ? [] : [{ key, state: "different" }];
  });
  const isOurs = isStartedBySvcm(running);
  const stale = Object.keys(running).filter((key) => {
    if (Object.hasOwn(declared, key) || context.openKeys.includes(key)) return false;
    if (context.formerKeys.includes(key)) return true;
    return isOurs ? isFromDeclaration(key, context.app) : isConfiguration(key, context.visibleKeys);
  });
  return [...differing, ...stale.map((key): DriftingKey => ({ key, state: "stale" }))];
}

function isConfiguration(key: string, visibleKeys: ReadonlySet<string>): boolean {
  return visibleKeys.has(key) || (OURS.test(key) && !isSecretName(key));
}
