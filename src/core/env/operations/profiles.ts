import type { HasEffects } from "../port-effects.ts";
import type { Audited } from "../../access/ports.ts";
import type { HasHost, HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvWriteResponse } from "../../api/bodies.ts";
import { findProfile, type ProfileStep, profileSteps, refuseUnusedValues } from "../profiles.ts";
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
