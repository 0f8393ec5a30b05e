import { ownMember } from "../words/record.ts";
import { compareEnvFiles, type EnvFileChange, type EnvFileFacts, type Digests } from "./env-files.ts";
import { KEPT_BY_RESTART, type ChangeReason, type Verdict } from "./code-evidence.ts";
import { isSecretName } from "../secrets/redact.ts";
import { isDeclaredVariable, isPm2Variable, isShellVariable, isStartedBySvcm } from "../pm2/declared.ts";

/** Facts of one process. Values are keyed digests. */
export interface ValuesFacts {
  readonly app: string;
  /** The file that declares the app, for messages. */
  readonly declaredIn: string;
  /** One map for each environment that the process may have been started for. An empty digest accepts any value. */
  readonly environments: readonly Digests[];
  /** Never left over: PM2 sets them for each process, or the file gives them no value. */
  readonly openKeys: readonly string[];
  /** The file hands over what its shell has, so a variable that is in no file says nothing. */
  readonly copiesShell?: boolean | undefined;
  /** Variables with which the process was started. */
  readonly running: Digests;
  readonly startedAt: number | null;
  readonly evidence: LeftoverEvidence;
  readonly envFiles: readonly EnvFileFacts[];
}

interface ValueChange {
  readonly field: "env" | "envFile";
  readonly key: string | null;
  /** `absent`: the process lacks it. `stale`: it was removed, or the file was written after the start. */
  readonly state: "absent" | "different" | "stale";
  /** The env file, for the field `envFile`. */
  readonly path: string | null;
  /** Of the env file, as it is shown. */
  readonly name: string | null;
}

/** @see CONTRACT section 13, "values" */
export interface ValuesVerdict {
  readonly verdict: "same" | "changed" | "unknown";
  readonly changes: readonly ValueChange[];
  /** Questions without an answer, and why. */
  readonly unknown: readonly string[];
  /** Variables that are in no file; most often, a shell set them. */
  readonly unexplained: readonly string[];
}

/** Without the variables that PM2 hands over, which a comparison names by field and key. */
export function verdictOfFiles({ changes, unknown }: ValuesVerdict): Verdict {
  const [first, ...others] = changes.filter(isKnownByContent).map(toReason);
  if (first !== undefined) return { verdict: "changed", reasons: [first, ...others] };
  return unknown.length > 0 ? { verdict: "unknown", reason: unknown.join("; ") } : { verdict: "same" };
}

/** Otherwise only the time says that the file was written. */
export function isKnownByContent({ field, key, state }: ValueChange): boolean {
  return field === "envFile" && (key !== null || state !== "stale");
}

function toReason({ key, state, name }: ValueChange): ChangeReason {
  const what = key ?? "a variable";
  const details = {
    different: `${what} changed in ${name}`,
    absent: `${what} added to ${name}`,
    stale: `${what} removed from ${name}`,
  };
  return { state, details: details[state], ...(key !== null && { key }) };
}

/** Compares what a process was started with to what is declared now. */
export function decideValues(facts: ValuesFacts): ValuesVerdict {
  const candidates = facts.environments.map((declared) => compareWith(declared, facts));
  const best = candidates.reduce(
    (one, other) => (other.changes.length < one.changes.length ? other : one),
    candidates[0] ?? NOTHING,
  );
  const { changes, unknown } = best;
  const verdict = changes.length > 0 ? "changed" : unknown.length > 0 ? "unknown" : "same";
  return { ...best, verdict };
}

const NOTHING: Omit<ValuesVerdict, "verdict"> = { changes: [], unknown: [], unexplained: [] };

function compareWith(declared: Digests, facts: ValuesFacts): Omit<ValuesVerdict, "verdict"> {
  const { openKeys, running, evidence } = facts;
  const differing = Object.entries(declared).flatMap(([key, digest]): ValueChange[] => {
    const isPresent = Object.hasOwn(running, key);
    if (ownMember(running, key) === digest || (isPresent && digest === "")) return [];
    return [{ field: "env", key, state: isPresent ? "different" : "absent", path: null, name: null }];
  });
  const isUndeclared = ([key]: [string, string]): boolean => !Object.hasOwn(declared, key) && !openKeys.includes(key);
  const undeclared = Object.fromEntries(Object.entries(running).filter(isUndeclared));
  const formerKeys = [...evidence.formerKeys, ...handedOverByFiles(facts)];
  const leftovers = findLeftovers(facts, undeclared, { ...evidence, formerKeys });
  const { left, unexplained } = leftovers;
  const doubtful = leftovers.doubtful.filter((key) => !facts.envFiles.some(({ now }) => hasValue(now, key, running)));
  const stale = left.map((key): ValueChange => ({ field: "env", key, state: "stale", path: null, name: null }));
  const env = [...differing, ...stale];
  const files = compareFiles(declared, env, facts);
  return {
    changes: [...env, ...files.changes],
    unknown: [...files.unknown, ...doubtful.map((key) => doubtOf(key, facts))],
    unexplained,
  };
}

/** A command such as `dotenvx run -- pm2 start` hands an env file over. */
function hasValue(now: EnvFileFacts["now"], key: string, running: Digests): boolean {
  return ownMember(now, key) === running[key];
}

/** PM2 hands the variables of the first start over to each later one, and only a new start is without them. */
function doubtOf(key: string, { envFiles, declaredIn }: ValuesFacts): string {
  const file = envFiles.find(({ now }) => ownMember(now, key) !== undefined);
  const doubt =
    file === undefined
      ? `the process has ${key}, which is in no file: the command that started it set it, or it left ${declaredIn}`
      : `the process was started with another ${key} than that of ${file.name}`;
  return `${doubt}${KEPT_BY_RESTART} it, so declare it, or delete the app and start it with --ecosystem`;
}

/** The ecosystem file can read an env file itself. A variable that left that file then stays in the process. */
function handedOverByFiles({ envFiles, running }: ValuesFacts): string[] {
  return envFiles.flatMap(({ recorded = {}, now }) =>
    Object.keys(recorded).filter(
      (key) => recorded[key] === ownMember(running, key) && ownMember(now, key) === undefined,
    ),
  );
}

/** A variable of the process hides the value of a file from Node.js, and from dotenv unless the app overrides it. */
function compareFiles(
  declared: Digests,
  env: readonly ValueChange[],
  { envFiles, startedAt, running, declaredIn }: ValuesFacts,
): Pick<ValuesVerdict, "changes" | "unknown"> {
  const isChanged = (file: EnvFileFacts): boolean => {
    const { changes, unknown } = compareEnvFiles([file], startedAt);
    return changes.length + unknown.length > 0;
  };
  const unnamed = envFiles.filter((file) => file.isUnnamed === true && isChanged(file));
  const all = compareEnvFiles(
    envFiles.filter(({ isUnnamed }) => isUnnamed !== true),
    startedAt,
  );
  const isTold = ({ key }: EnvFileChange): boolean => key !== null && env.some((change) => change.key === key);
  const compared = { ...all, changes: all.changes.filter((change) => !isTold(change)) };
  const hider = ({ key }: EnvFileChange): string | undefined => {
    if (key === null) return undefined;
    if (Object.hasOwn(declared, key)) return `${declaredIn} sets it, too`;
    return Object.hasOwn(running, key) ? "the process has it from elsewhere" : undefined;
  };
  const isReadByNode = ({ path }: EnvFileChange): boolean =>
    envFiles.some((file) => file.path === path && file.isReadByNode);
  const hidden = compared.changes.filter((change) => hider(change) !== undefined);
  return {
    changes: compared.changes
      .filter((change) => !hidden.includes(change))
      .map((change) => ({ field: "envFile", ...change })),
    unknown: [
      ...compared.unknown,
      ...unnamed.map(
        ({ name, now }) =>
          `${name} was ${now === null ? "removed" : "changed or touched"} after the start, and this environment does not name it`,
      ),
      ...hidden
        .filter((change) => !isReadByNode(change))
        .map((change) => `${change.key} changed in ${change.name}, and ${hider(change)}, which usually wins`),
    ],
  };
}

/** Facts about variables that a process has and no file declares. */
interface LeftoverEvidence {
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

interface Leftovers {
  /** They left the file: a step removes them. */
  readonly left: readonly string[];
  /** One witness says so, which is not enough. */
  readonly doubtful: readonly string[];
  /** The others that are in no file, and that do not look like variables of a shell. */
  readonly unexplained: readonly string[];
}

/** A shell has no such variables. svcm's own settings are provided by the user who starts it. */
const SERVICE_KEY = /^SVC_(?!SERVICE_MANAGEMENT_)/;

/**
 * PM2 merges the declared environment into that of its caller and does not record where a key came from. svcm calls PM2
 * with a small known environment, so in its processes every other key comes from a declaration. In a process that a
 * user started, a key may come from the shell, so svcm's own record, or Git and another witness, must say it.
 */
function findLeftovers(
  { app, running, copiesShell }: ValuesFacts,
  undeclared: Digests,
  evidence: LeftoverEvidence,
): Leftovers {
  const keys = Object.keys(undeclared).filter((key) => key !== app && !isPm2Variable(key));
  const isOfSvcm = copiesShell !== true && isStartedBySvcm(running);
  const left = keys.filter(
    (key) =>
      evidence.formerKeys.includes(key) ||
      (isOfSvcm ? isDeclaredVariable(key, app) : isConfiguration(key, evidence.visibleKeys)) ||
      isFormer(key, running, evidence),
  );
  const others = isOfSvcm ? [] : keys.filter((key) => !left.includes(key) && isDeclaredVariable(key, app));
  const doubtful = others.filter((key) => evidence.formerWords.has(key) || evidence.listedKeys.has(key));
  const isShared = (key: string): boolean =>
    evidence.siblings.some((sibling) => ownMember(sibling, key) === running[key]);
  const unexplained = others.filter((key) => !doubtful.includes(key) && !isShellVariable(key) && !isShared(key));
  return { left, doubtful, unexplained };
}

function isConfiguration(key: string, visibleKeys: ReadonlySet<string>): boolean {
  return SERVICE_KEY.test(key) && (visibleKeys.has(key) || !isSecretName(key));
}

/** Without a former version of the file, `PORT=3000 pm2 start` looks the same for one of several apps. */
function isFormer(key: string, running: Digests, { listedKeys, formerWords, siblings }: LeftoverEvidence): boolean {
  if (!formerWords.has(key)) return false;
  return (
    listedKeys.has(key) || siblings.some((sibling) => !Object.hasOwn(sibling, key) && isOfSameShell(sibling, running))
  );
}

/** These differ between two commands of one shell. */
const PER_COMMAND = /^(?:_|PWD|OLDPWD|SHLVL)$/;

/** Most variables that the process has, apart from PM2's, have the same values there. */
function isOfSameShell(sibling: Digests, running: Digests): boolean {
  const keys = Object.keys(running).filter((key) => !isPm2Variable(key) && !PER_COMMAND.test(key));
  const shared = keys.filter((key) => ownMember(sibling, key) === running[key]);
  return shared.length > 0 && shared.length * 2 >= keys.length;
}
