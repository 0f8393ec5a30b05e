import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import type { HasHost, HasFiles } from "../../files/ports.ts";
import type { HasEffects } from "../port-effects.ts";
import type { EnvWriteResponse } from "../../api/bodies.ts";
import type { Issue } from "../../api/issue.ts";
import {
  effectiveValues,
  locateEnvFile,
  readEnvFile,
  readLowerLayers,
  type EnvContent,
  type EnvFile,
  type EnvLayer,
} from "../env-file.ts";
import {
  type EffectiveValue,
  type EnvPlan,
  type EnvValues,
  type ForeignKeys,
  type KeyChange,
  assignmentIssues,
  effectiveValue,
  findDefiningLayer,
  parseLayers,
  planRemoval,
  planWrite,
  removalIssues,
} from "../plan.ts";
import { noteFile, planOrRefuse, writeEnv, type WrittenFile } from "../transaction.ts";
import { refusal, SvcmError } from "../../api/errors.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import { defineOperation } from "../../access/operation.ts";
import type { TaggedResponse } from "./env-read.ts";
import type { InputOf } from "../../api/inputs.ts";
import { findLayerUsers } from "../../project/resolve.ts";

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
 * Changes editable keys of one file, atomically and audited, or changes nothing.
 * @see the specification, "POST /api/runtime/env"; CONTRACT section 3
 */
export const envWrite = defineOperation({
  id: "env.write",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  isForMachine: true,
  async run(
    ports: Audited & HasEffects & HasFacts & HasFiles,
    { values, ifMatch, foreignKeys, ...request },
    caller,
  ): Promise<TaggedResponse<EnvWriteResponse>> {
    const written = await withAudit(ports, caller, { action: "env.write" }, async (attempt) => {
      const contract = await ports.facts.runtimeContract();
      attempt.note({ keys: Object.keys(values).filter((key) => Object.hasOwn(contract.keys, key)) });
      const file = await locateEnvFile(ports, contract, request);
      noteFile(attempt, file);
      requireValidValues(contract, values, foreignKeys);
      return { file, ...(await writeValues(ports, contract, file, values, attempt, ifMatch)) };
    });
    return { bytes: written.bytes, response: await withEffect(ports, written.file, written.response) };
  },
});

/** Read after the audit record of the write, which a failure of PM2 does not concern. */
export async function withEffect<Response extends WrittenFile>(ports: HasEffects, file: EnvFile, response: Response) {
  return { ...response, ...(await ports.effects.read(file, response.changedKeys)) };
}

/** Computes the result of {@link envWrite} without writing. */
export const envPlan = defineOperation({
  id: "env.plan",
  access: "read",
  refusal: "INVALID_PAYLOAD",
  isForMachine: true,
  async run(ports: HasFacts & HasFiles & HasWorkspace, { values, foreignKeys, ...request }): Promise<EnvPlanResponse> {
    const contract = await ports.facts.runtimeContract();
    requireValidValues(contract, values, foreignKeys);
    const file = await readEnvFile(ports, contract, request);
    return planResponse(file, planValues(contract, file, values));
  },
});

/** @throws {SvcmError} INVALID_PAYLOAD with every invalid value */
export function requireValidValues(contract: RuntimeContract, values: EnvValues, foreign: ForeignKeys): void {
  const issues = assignmentIssues(contract, values, foreign);
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
}

export async function writeValues(
  ports: HasFiles & HasHost,
  contract: RuntimeContract,
  file: EnvFile,
  values: EnvValues,
  attempt: Attempt,
  ifMatch?: string,
): Promise<TaggedResponse<WrittenFile>> {
  const below = await readLowerLayers(ports, file);
  const makePlan = (text: string): EnvPlan =>
    planWrite(contract, text, withoutInherited(values, text, below), file.fileName);
  const { response, bytes } = await writeEnv(ports, contract, { file, below }, makePlan, attempt, ifMatch);
  return { response, bytes };
}

/** A value needs no line if a lower layer already has it and the written file does not set the key. */
function withoutInherited(values: EnvValues, text: string, overridden: readonly EnvLayer[]): EnvValues {
  if (overridden.length === 0) return values;
  const [inherited, own] = [effectiveValues(overridden), effectiveValues([{ text }])];
  const isNeeded = ([key, value]: readonly [string, string]): boolean => own.has(key) || inherited.get(key) !== value;
  return Object.fromEntries(Object.entries(values).filter(isNeeded));
}

export function planValues(contract: RuntimeContract, file: EnvContent, values: EnvValues): EnvPlan {
  const overridden = file.layers.filter(({ path }) => path !== file.path);
  const needed = withoutInherited(values, file.text, overridden);
  return planOrRefuse(file, () => planWrite(contract, file.text, needed, file.fileName));
}

export function planResponse(file: EnvFile, plan: EnvPlan): EnvPlanResponse {
  const { environment, fileName, path } = file;
  const { changedKeys, ignoredKeys, changes, warnings } = plan;
  return { environment, fileName, path, dryRun: true, changedKeys, ignoredKeys, changes, warnings };
}

export type EnvUnsetResponse = (EnvWriteResponse | EnvPlanResponse) & {
  readonly effective: readonly EffectiveValue[];
};

/**
 * Removes editable keys from the layer that has them, atomically and audited. Another layer, or the default, then
 * applies.
 */
export const envUnset = defineOperation({
  id: "env.unset",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  isForMachine: true,
  async run(ports: Audited & HasEffects & HasFacts & HasFiles, input, caller): Promise<EnvUnsetResponse> {
    if (input.dryRun) {
      const { file, makePlan, effective } = await prepare(ports, input);
      const plan = planOrRefuse(file, () => makePlan(file.text));
      return { ...planResponse(file, plan), effective: effective(plan.text) };
    }
    const { file, written } = await withAudit(ports, caller, { action: "env.write" }, async (attempt) => {
      const { contract, layers, makePlan, effective } = await prepare(ports, input, attempt);
      const { response, text } = await writeEnv(ports, contract, layers, makePlan, attempt);
      return { file: layers.file, written: { ...response, effective: effective(text) } };
    });
    return await withEffect(ports, file, written);
  },
});

async function prepare(
  ports: HasFacts & HasFiles & HasWorkspace,
  { keys: requestedKeys, ...request }: InputOf<"env.unset">,
  attempt?: Attempt,
) {
  const keys = [...new Set(requestedKeys)];
  const contract = await ports.facts.runtimeContract();
  attempt?.note({ keys: keys.filter((key) => Object.hasOwn(contract.keys, key)) });
  const content = await readEnvFile(ports, contract, request);
  noteFile(attempt, content);
  const { file, below, above } = await locateRemoval(ports, contract, content, keys);
  const makePlan = (text: string): EnvPlan => planRemoval(contract, text, keys);
  const effective = (text: string) => {
    const layers = parseLayers([...below, { ...file, text }, ...above]);
    return keys.map((key) => effectiveValue(contract, layers, key));
  };
  return { contract, file, layers: { file, below, above }, makePlan, effective };
}

interface Removal {
  readonly file: EnvContent & EnvLayer;
  readonly below: readonly EnvLayer[];
  readonly above: readonly EnvLayer[];
}

/** @throws {SvcmError} INVALID_PAYLOAD if a key may not be removed, or not together with the others */
async function locateRemoval(
  ports: HasFacts & HasWorkspace,
  contract: RuntimeContract,
  content: EnvContent,
  keys: readonly string[],
): Promise<Removal> {
  const { layers } = content;
  const parsed = parseLayers(layers);
  const holders = new Set(keys.flatMap((key) => findDefiningLayer(parsed, key)?.layer ?? []));
  const [holder = layers.at(-1), ...more] = holders;
  const at = layers.findIndex((layer) => layer === holder);
  const [below, above] = [layers.slice(0, at), layers.slice(at + 1)];
  const issues = removalIssues(contract, keys, effectiveValues([...below, ...above]));
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
  if (holder === undefined) throw new TypeError("An environment that was read has a layer.");
  if (more.length > 0) throw keysInSeveralFiles([...holders]);
  if (holders.size > 0 && holder.path !== content.path) await requireUnshared(ports, content, holder);
  return { file: { ...content, ...holder }, below, above };
}

function keysInSeveralFiles(holders: readonly EnvLayer[]): SvcmError {
  return new SvcmError("INVALID_PAYLOAD", {
    code: "ENV_KEYS_APART",
    details: `These keys are in several files: ${holders.map(({ fileName }) => fileName).join(", ")}. A command changes only one file.`,
    hint: "Remove the keys of each file with a separate command.",
  });
}

/** A command must not change a layer that another environment also uses. */
async function requireUnshared(
  ports: HasFacts & HasWorkspace,
  { name, service = "" }: EnvContent,
  layer: EnvLayer,
): Promise<void> {
  const users = findLayerUsers(await ports.facts.project(), ports.workspace.root, layer.path);
  const others = users.filter((user) => user.environment !== name || user.service !== service);
  if (others.length === 0) return;
  const names = others.map((user) => [user.service, user.environment].filter(Boolean).join(" "));
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "ENV_LAYER_SHARED",
    path: layer.path,
    details: `${layer.fileName} holds the key, but other environments also read that file: ${names.join(", ")}. A command changes only one environment.`,
    hint: `Override the value with: svcm env set KEY=VALUE --environment ${name}. To remove it for all, edit ${layer.fileName} by hand.`,
  });
}
