import { isSecretName } from "../secrets/secret-name.ts";
import { isDeclaredVariable, isStartedBySvcm } from "../pm2/variable-origin.ts";

export interface DriftingKey {
  readonly key: string;
  readonly state: "different" | "absent" | "stale";
}

type Digests = Readonly<Record<string, string>>;

export interface KeyContext {
  readonly app: string;
  /** Visible keys are not secrets, whatever their names. */
  readonly visibleKeys: ReadonlySet<string>;
  readonly openKeys: readonly string[];
  readonly formerKeys: readonly string[];
  /** Any value is right. */
  readonly volatileKeys?: readonly string[];
}

/** svcm's own settings are provided by the user who starts it. */
const SERVICE_KEY = /^SVC_(?!SERVICE_MANAGEMENT_)/;

/**
 * PM2 merges the declared environment into that of its caller and does not record where a key came from. svcm calls PM2
 * with a small known environment, so in its processes every other key comes from a declaration. In a process that a
 * user started, any key without the prefix `SVC_` may come from the shell, so it is stale only if an apply set it.
 */
export function driftingKeys(declared: Digests, running: Digests, context: KeyContext): DriftingKey[] {
  const differing = Object.entries(declared).flatMap(([key, digest]): DriftingKey[] => {
    if (!Object.hasOwn(running, key)) return [{ key, state: "absent" }];
    return running[key] === digest || context.volatileKeys?.includes(key) ? [] : [{ key, state: "different" }];
  });
  const isStartedByUs = isStartedBySvcm(running);
  const stale = Object.keys(running).filter((key) => {
    if (Object.hasOwn(declared, key) || context.openKeys.includes(key)) return false;
    if (context.formerKeys.includes(key)) return true;
    return isStartedByUs ? isDeclaredVariable(key, context.app) : isConfiguration(key, context.visibleKeys);
  });
  return [...differing, ...stale.map((key): DriftingKey => ({ key, state: "stale" }))];
}

function isConfiguration(key: string, visibleKeys: ReadonlySet<string>): boolean {
  return visibleKeys.has(key) || (SERVICE_KEY.test(key) && !isSecretName(key));
}
