import type { HasEffects } from "../port-effects.ts";
import type { Audited } from "../../access/ports.ts";
import type { HasHost, HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvWriteResponse } from "../../api/bodies.ts";
import type { InputOf } from "../../api/inputs.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import { defineOperation } from "../../access/operation.ts";
import { readEnvFile } from "../env-file.ts";
import { noteFile } from "../transaction.ts";
import {
  type EnvPlanResponse,
  planResponse,
  planValues,
  requireValidValues,
  withEffect,
  writeValues,
} from "./env-write.ts";
import { SvcmError } from "../../api/errors.ts";
import type { Profile, RuntimeContract } from "../../api/facts.ts";
import { didYouMean } from "../../words/suggest.ts";
import { parseEnvDocument, valuesOf } from "../document.ts";
import type { EnvValues } from "../plan.ts";
import { specOf, tierOf, tierReason } from "../runtime-keys.ts";
import { valueIssue } from "../value-rules.ts";

/** @see the specification, "Operational profiles" */
export const profileList = defineOperation({
  id: "profile.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts): Promise<{ profiles: ProfileSummary[] }> {
    const { profiles } = await ports.facts.runtimeContract();
    return {
      profiles: Object.entries(profiles).map(([profile, { label, assignments }]) => ({ profile, label, assignments })),
    };
  },
});

export interface ProfileSummary {
  readonly profile: string;
  readonly label: string;
  /** The user replaces values in angle brackets. */
  readonly assignments: Readonly<Record<string, string>>;
}

export const profileShow = defineOperation({
  id: "profile.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts, { profile }): Promise<ProfileSummary> {
    const { label, assignments } = findProfile(await ports.facts.runtimeContract(), profile);
    return { profile, label, assignments };
  },
});

interface ManualSteps {
  readonly profile: string;
  readonly manual: readonly { readonly key: string; readonly reason: string }[];
}

export const profileApply = defineOperation({
  id: "profile.apply",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  isForMachine: true,
  async run(
    ports: Audited & HasEffects & HasFacts & HasFiles,
    input,
    caller,
  ): Promise<(EnvPlanResponse | EnvWriteResponse) & ManualSteps> {
    if (input.dryRun) {
      const { contract, file, values, rest } = await prepare(ports, input);
      return { ...planResponse(file, planValues(contract, file, values)), ...rest };
    }
    const { file, ...written } = await withAudit(ports, caller, { action: "env.write" }, (attempt) =>
      write(ports, input, attempt),
    );
    return await withEffect(ports, file, written);
  },
});

async function prepare(ports: HasFacts & HasFiles & HasWorkspace, input: InputOf<"profile.apply">, attempt?: Attempt) {
  const contract = await ports.facts.runtimeContract();
  const profile = findProfile(contract, input.profile);
  refuseUnusedValues(input.profile, profile, input.values);
  const file = await readEnvFile(ports, contract, input);
  const steps = profileSteps(contract, profile, file.text, input.values);
  const values = Object.fromEntries(steps.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]])));
  if (attempt) {
    noteFile(attempt, file);
    attempt.note({ keys: Object.keys(values) });
  }
  requireValidValues(contract, values, "refuse");
  return { contract, file, values, rest: { profile: input.profile, manual: manualSteps(steps) } };
}

async function write(
  ports: HasFacts & HasFiles & HasHost & HasWorkspace,
  input: InputOf<"profile.apply">,
  attempt: Attempt,
) {
  const { contract, file, values, rest } = await prepare(ports, input, attempt);
  const { response } = await writeValues(ports, contract, file, values, attempt);
  return { file, ...response, ...rest };
}

function manualSteps(steps: readonly ProfileStep[]): ManualSteps["manual"] {
  return steps.flatMap(({ key, manual }) => (manual === undefined ? [] : [{ key, reason: manual }]));
}

interface ProfileStep {
  readonly key: string;
  readonly value?: string;
  readonly manual?: string;
}

function findProfile(contract: RuntimeContract, name: string): Profile {
  if (Object.hasOwn(contract.profiles, name) && contract.profiles[name]) return contract.profiles[name];
  const accepted = Object.keys(contract.profiles);
  throw new SvcmError("NOT_FOUND", {
    code: "PROFILE_NOT_FOUND",
    details: `No operational profile ${JSON.stringify(name)}. Accepted: ${accepted.join(", ")}.`,
    hint: didYouMean(name, accepted),
  });
}

/**
 * A placeholder gets the given value, or keeps an acceptable value of the file. The user sets keys outside the
 * allowlist.
 * @throws {SvcmError} INVALID_PAYLOAD if a placeholder has no value
 */
function profileSteps(contract: RuntimeContract, profile: Profile, text: string, provided: EnvValues): ProfileStep[] {
  return Object.entries(profile.assignments).map(([key, assigned]): ProfileStep => {
    if (tierOf(contract, key) !== "editable") return { key, manual: tierReason(contract, key) };
    return {
      key,
      value: isPlaceholder(assigned) ? placeholderValue(contract, key, assigned, text, provided) : assigned,
    };
  });
}

export function isPlaceholder(assigned: string): boolean {
  return /^<[^>]+>$/.test(assigned);
}

function placeholderValue(
  contract: RuntimeContract,
  key: string,
  assigned: string,
  text: string,
  provided: EnvValues,
): string {
  if (Object.hasOwn(provided, key)) return provided[key] ?? "";
  const current = valuesOf(parseEnvDocument(text)).get(key) ?? "";
  const spec = specOf(contract, key);
  if (current !== "" && spec && !valueIssue(key, spec, current)) return current;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "PROFILE_VALUE_MISSING",
    details: `The profile needs a value for ${key}, ${assigned}.`,
    hint: `Add it to the command: ${key}=${assigned}`,
  });
}

/** A given value may be a secret, so the message does not repeat it. @throws {SvcmError} INVALID_PAYLOAD */
function refuseUnusedValues(name: string, profile: Profile, provided: EnvValues): void {
  const accepted = Object.keys(profile.assignments).filter((key) => isPlaceholder(profile.assignments[key] ?? ""));
  const unused = Object.keys(provided).find((key) => !accepted.includes(key));
  if (unused === undefined) return;
  const accepts = accepted.length === 0 ? "no values" : `values only for ${accepted.join(", ")}`;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "PROFILE_VALUE_UNKNOWN",
    details: `The profile ${JSON.stringify(name)} takes ${accepts}; ${unused} is not used.`,
  });
}
