import type { EnvWriteResponse } from "../api/bodies.ts";
import type { Issue } from "../api/issue.ts";
import { UnwritableValue } from "../env/edit.ts";
import { assignmentIssues, planWrite, type EnvPlan, type ForeignKeys, type KeyChange } from "../env/plan.ts";
import { readResponse } from "../env/view.ts";
import { refusal, SvcmError } from "../errors.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import type { Caller } from "../caller.ts";
import { defineOperation } from "../operation.ts";
import type { Ports } from "../ports/index.ts";
import { audited } from "../audit/audited.ts";
import {
  decodeEnv,
  envFileFailure,
  heldValues,
  joined,
  locateEnvFile,
  readEnvFile,
  readOverridden,
  requireEnvSize,
  type EnvContent,
  type EnvFile,
  type EnvLayer,
} from "../env/env-file.ts";
import type { EnvRead } from "./env-read.ts";

/** Credentials in URLs are masked. */
export interface EnvPlanResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly path: string;
  readonly dryRun: true;
  readonly changedKeys: readonly string[];
  readonly ignoredKeys: readonly string[];
  readonly changes: readonly KeyChange[];
  readonly warnings: readonly Issue[];
}

/**
 * Changes editable keys of one file, atomically and audited, or nothing at all.
 * @see the specification, "POST /api/runtime/env"; CONTRACT section 3
 */
export const envWrite = defineOperation({
  id: "env.write",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, ifMatch, foreignKeys, ...asked }, caller): Promise<EnvRead<EnvWriteResponse>> {
    return await auditedEnvWrite(ports, caller, async (transaction) => {
      const contract = await ports.facts.runtimeContract();
      transaction.about.keys = Object.keys(values).filter((key) => Object.hasOwn(contract.keys, key));
      const file = await locateEnvFile(ports, contract, asked);
      noteFile(transaction, file);
      refuseBadValues(contract, values, foreignKeys);
      return await writeValues(ports, contract, file, values, { ...transaction, ifMatch });
    });
  },
});

/** The computation of {@link envWrite} without the write. */
export const envPlan = defineOperation({
  id: "env.plan",
  access: "read",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, foreignKeys, ...asked }): Promise<EnvPlanResponse> {
    const contract = await ports.facts.runtimeContract();
    refuseBadValues(contract, values, foreignKeys);
    const file = await readEnvFile(ports, contract, asked);
    return planResponse(file, plannedFor(contract, file, values));
  },
});

/** @throws {SvcmError} INVALID_PAYLOAD with every bad value */
export function refuseBadValues(
  contract: RuntimeContract,
  values: Readonly<Record<string, string>>,
  foreign: ForeignKeys,
): void {
  const issues = assignmentIssues(contract, values, foreign);
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
}

export interface EnvTransaction {
  readonly about: { action: "env.write"; environment?: string; service?: string; keys?: readonly string[] };
  readonly begin: () => Promise<void>;
  readonly ifMatch?: string | undefined;
}

export function auditedEnvWrite<T>(
  ports: Ports,
  caller: Caller,
  write: (transaction: EnvTransaction) => Promise<T>,
): Promise<T> {
  const about: EnvTransaction["about"] = { action: "env.write" };
  return audited(
    ports,
    caller,
    () => about,
    (begin) => write({ about, begin }),
  );
}

export function noteFile({ about }: EnvTransaction, { name, service }: EnvFile): void {
  Object.assign(about, { environment: name, ...(service !== undefined && { service }) });
}

/** Writes valid values in one locked transaction. */
export async function writeValues(
  ports: Ports,
  contract: RuntimeContract,
  file: EnvFile,
  values: Readonly<Record<string, string>>,
  { about, begin, ifMatch }: EnvTransaction,
): Promise<EnvRead<EnvWriteResponse>> {
  const overridden = await readOverridden(ports, file);
  const whole = (current: Uint8Array): Uint8Array => joined([...overridden.map(({ bytes }) => bytes), current]);
  let plan: EnvPlan | undefined;
  const decide = (current: Uint8Array): Uint8Array | undefined => {
    requireEnvSize(current, file.path);
    if (ifMatch !== undefined) refuseStale(ports, whole(current), ifMatch);
    const text = decodeEnv(current, file.path);
    plan = planned(contract, file, text, withoutInherited(values, text, overridden));
    about.keys = plan.changedKeys;
    if (plan.text === text) return undefined;
    const next = new TextEncoder().encode(plan.text);
    requireEnvSize(next, file.path);
    return next;
  };
  try {
    const bytes = await ports.files.replace(file.path, decide, begin);
    const done = plan ?? planned(contract, file, decodeEnv(bytes, file.path), values);
    return { response: writeResponse(contract, file, done, overridden), bytes: whole(bytes) };
  } catch (error) {
    throw envFileFailure(error, file.path);
  }
}

function writeResponse(
  contract: RuntimeContract,
  file: EnvFile,
  { text, changedKeys, ignoredKeys, warnings }: EnvPlan,
  overridden: readonly EnvLayer[],
): EnvWriteResponse {
  const held = heldValues([...overridden, { text }]);
  return { ...readResponse(contract, file, held), changedKeys, ignoredKeys, warnings };
}

/** A value needs no line if an overridden layer already holds it and the written file leaves it unchanged. */
function withoutInherited(
  values: Readonly<Record<string, string>>,
  text: string,
  overridden: readonly EnvLayer[],
): Readonly<Record<string, string>> {
  if (overridden.length === 0) return values;
  const [inherited, own] = [heldValues(overridden), heldValues([{ text }])];
  const isNeeded = ([key, value]: readonly [string, string]): boolean => own.has(key) || inherited.get(key) !== value;
  return Object.fromEntries(Object.entries(values).filter(isNeeded));
}

export function plannedFor(
  contract: RuntimeContract,
  file: EnvContent,
  values: Readonly<Record<string, string>>,
): EnvPlan {
  const overridden = file.layers.filter(({ path }) => path !== file.path);
  return planned(contract, file, file.text, withoutInherited(values, file.text, overridden));
}

export function planResponse(file: EnvFile, plan: EnvPlan): EnvPlanResponse {
  const { environment, fileName, path } = file;
  const { changedKeys, ignoredKeys, changes, warnings } = plan;
  return { environment, fileName, path, dryRun: true, changedKeys, ignoredKeys, changes, warnings };
}

/** A strong entity tag of the bytes. */
export function entityTag(ports: Ports, bytes: Uint8Array): string {
  return `"${ports.host.digest(bytes)}"`;
}

/** @throws {SvcmError} ENV_FILE_FAILED if the file cannot hold a value */
function planned(
  contract: RuntimeContract,
  file: EnvFile,
  text: string,
  values: Readonly<Record<string, string>>,
): EnvPlan {
  try {
    return planWrite(contract, text, values, file.fileName);
  } catch (error) {
    if (!(error instanceof UnwritableValue)) throw error;
    throw new SvcmError("ENV_FILE_FAILED", {
      code: "ENV_FILE_UNEDITABLE",
      path: file.path,
      details: `${error.message}.`,
      hint: `Correct the file by hand; svcm env check --environment ${file.name} names its faulty lines.`,
    });
  }
}

function refuseStale(ports: Ports, current: Uint8Array, ifMatch: string): void {
  const tags = new Set(ifMatch.split(",").map((tag) => tag.trim()));
  if (tags.has("*") || tags.has(entityTag(ports, current))) return;
  throw new SvcmError("ENV_FILE_CHANGED", {
    details: "The file is not the one that was read: it was changed meanwhile. Read it again, then repeat the change.",
  });
}
