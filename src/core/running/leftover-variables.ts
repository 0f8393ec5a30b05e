import { ownMember } from "../words/record.ts";
import { isSecretName } from "../secrets/secret-name.ts";
import { isDeclaredVariable, isPm2Variable, isShellVariable, isStartedBySvcm } from "../pm2/variable-origin.ts";
import type { Digests } from "./env-file-digests.ts";

/** Facts about variables that a process has and no file declares. */
export interface LeftoverEvidence {
  /** Variables that svcm's last apply set. */
  readonly formerKeys: readonly string[];
  /** Visible keys are not secrets, whatever their names. */
  readonly visibleKeys: ReadonlySet<string>;
  /** Every key of the runtime contract, secrets included. */
  readonly listedKeys: ReadonlySet<string>;
  /** Words that a version in Git of the app's files has, and the present files do not. */
  readonly formerWords: ReadonlySet<string>;
  /** Variables with which processes of other apps were started. */
  readonly siblings: readonly Digests[];
}

export interface Leftovers {
  /** They left the file: a step removes them. */
  readonly left: readonly string[];
  /** One witness says so, which is not enough. */
  readonly doubtful: readonly string[];
  /** The others that are in no file, and that do not look like variables of a shell. */
  readonly unexplained: readonly string[];
}

/** svcm's own settings are provided by the user who starts it. */
const SERVICE_KEY = /^SVC_(?!SERVICE_MANAGEMENT_)/;

/**
 * PM2 merges the declared environment into that of its caller and does not record where a key came from. svcm calls PM2
 * with a small known environment, so in its processes every other key comes from a declaration. In a process that a
 * user started, a key may come from the shell, so svcm's own record or two other witnesses must agree.
 */
export function findLeftovers(
  app: string,
  undeclared: Digests,
  running: Digests,
  evidence: LeftoverEvidence,
): Leftovers {
  const keys = Object.keys(undeclared).filter((key) => key !== app && !isPm2Variable(key));
  const isOfSvcm = isStartedBySvcm(running);
  const left = keys.filter(
    (key) =>
      evidence.formerKeys.includes(key) ||
      (isOfSvcm ? isDeclaredVariable(key, app) : isConfiguration(key, evidence.visibleKeys)) ||
      countWitnesses(key, running, evidence) >= 2,
  );
  const others = isOfSvcm ? [] : keys.filter((key) => !left.includes(key) && isDeclaredVariable(key, app));
  const doubtful = others.filter((key) => evidence.formerWords.has(key) || evidence.listedKeys.has(key));
  const isShared = (key: string): boolean =>
    evidence.siblings.some((sibling) => ownMember(sibling, key) === running[key]);
  const unexplained = others.filter((key) => !doubtful.includes(key) && !isShellVariable(key) && !isShared(key));
  return { left, doubtful, unexplained };
}

function isConfiguration(key: string, visibleKeys: ReadonlySet<string>): boolean {
  return visibleKeys.has(key) || (SERVICE_KEY.test(key) && !isSecretName(key));
}

function countWitnesses(
  key: string,
  running: Digests,
  { listedKeys, formerWords, siblings }: LeftoverEvidence,
): number {
  const isLackedBySibling = siblings.some((sibling) => !Object.hasOwn(sibling, key) && isOfSameShell(sibling, running));
  return [listedKeys.has(key), formerWords.has(key), isLackedBySibling].filter(Boolean).length;
}

/** These differ between two commands of one shell. */
const PER_COMMAND = /^(?:_|PWD|OLDPWD|SHLVL)$/;

/** Most variables that the process has, apart from PM2's, have the same values there. */
function isOfSameShell(sibling: Digests, running: Digests): boolean {
  const keys = Object.keys(running).filter((key) => !isPm2Variable(key) && !PER_COMMAND.test(key));
  const shared = keys.filter((key) => ownMember(sibling, key) === running[key]);
  return shared.length > 0 && shared.length * 2 >= keys.length;
}
