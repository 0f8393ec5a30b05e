import type { Plan } from "../api/rollout.ts";
import { ownMember } from "../words/record.ts";

/** In the order in which they win. `default`: svcm assumes it; the app may have another one. */
export type ValueSource = "ecosystem" | "env file" | "default" | "nowhere";

/** `former`: a process was started with another value. `partly`: those that run have the value, and others do not run. */
export type RunningValue = "same" | "former" | "partly" | "unknown" | "not running";

export interface AppValue {
  readonly key: string;
  readonly value: string;
  readonly source: ValueSource;
  /** The file that sets it. */
  readonly file: string | null;
  /** Files that set it, too, and lose. */
  readonly overridden: readonly string[];
  readonly running: RunningValue;
}

export interface ValueFacts {
  readonly keys: readonly string[];
  readonly ecosystem: { readonly fileName: string; readonly env: Readonly<Record<string, string>> };
  /** Later ones win. */
  readonly layers: readonly { readonly fileName: string; readonly values: ReadonlyMap<string, string> }[];
  readonly defaultOf: (key: string) => string;
  readonly runningOf: (key: string, source: ValueSource) => RunningValue;
}

/** A variable that PM2 hands over hides the one of a file from Node.js, and from dotenv unless the app overrides it. */
export function decideAppValues({ keys, ecosystem, layers, defaultOf, runningOf }: ValueFacts): AppValue[] {
  return keys.map((key) => {
    const inFiles = layers.flatMap(({ fileName, values }) => {
      const value = values.get(key);
      return value === undefined ? [] : [{ file: fileName, value, source: "env file" as const }];
    });
    const declared = ownMember(ecosystem.env, key);
    const found = [
      ...inFiles,
      ...(declared === undefined ? [] : [{ file: ecosystem.fileName, value: declared, source: "ecosystem" as const }]),
    ];
    const winner = found.at(-1);
    const assumed = defaultOf(key);
    const source = winner?.source ?? (assumed === "" ? "nowhere" : "default");
    return {
      key,
      value: winner?.value ?? assumed,
      source,
      file: winner?.file ?? null,
      overridden: found.slice(0, -1).map(({ file }) => file),
      running: runningOf(key, source),
    };
  });
}

/**
 * Reads the values from a plan for the app alone. Of a default, nothing is known: it is in the app's code.
 * @param alive the number of its processes that run: one that does not says nothing about the others
 */
export function runningFrom(plan: Plan | undefined, app: string, alive: number): ValueFacts["runningOf"] {
  const reasons = plan?.steps.filter((step) => step.app === app).flatMap(({ why }) => why) ?? [];
  const isAbsent = reasons.some(({ field, state }) => field === "app" && (state === "missing" || state === "stopped"));
  const isStopped = plan?.held.some(({ name, state }) => name === app && state === "stopped") ?? false;
  const isFailing = reasons.some(({ field, state }) => field === "app" && state === "failing");
  const hasDoubt = plan?.unknown.some((one) => one.app === app && one.part === "values") ?? true;
  const isPartlyDown = isAbsent || isStopped || isFailing;
  return (key, source) => {
    if (alive === 0 && (isAbsent || isStopped)) return "not running";
    const ofValues = reasons.filter(({ field }) => /^(?:env|envFile|values)$/.test(field));
    if (ofValues.some((reason) => reason.key === key)) return "former";
    // A file that was written after the start, without a record of what it held before.
    const isWritten = source === "env file" && ofValues.some((reason) => (reason.key ?? null) === null);
    const isUnseen = source === "default" || source === "nowhere";
    return hasDoubt || isWritten || isUnseen ? "unknown" : isPartlyDown ? "partly" : "same";
  };
}
