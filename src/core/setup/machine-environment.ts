import { SvcmError } from "../api/errors.ts";
import type { Project } from "../project/project.ts";
import type { MachineEnvironment } from "../rollout/machine-environment.ts";
import { nameList } from "../words/text.ts";

/** The environment of this machine, as `svcm init` sees it. */
export interface InitMachine {
  /** The environments of `svcm.yaml`, or of its proposal. */
  readonly accepted: readonly string[];
  readonly environment: string | null;
  readonly by: MachineEnvironment["by"] | null;
  /** The environment is requested, and not yet recorded. */
  readonly isNew: boolean;
}

/**
 * A record that contradicts what was applied would have no effect, so it is refused.
 * @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST with the code ENVIRONMENT_SWITCH
 */
export function decideMachine(
  environments: Project["environments"],
  known: MachineEnvironment | undefined,
  requested: string | undefined,
): InitMachine {
  const accepted = Object.keys(environments);
  if (requested === undefined)
    return { accepted, environment: known?.environment ?? null, by: known?.by ?? null, isNew: false };
  const environment = accepted.find((name) => name === requested || environments[name]?.aliases.includes(requested));
  if (environment === undefined) throw noEnvironment(requested, accepted);
  if (known?.environment === environment) return { accepted, environment, by: known.by, isNew: false };
  if (known?.by === "apply")
    throw new SvcmError("INVALID_REQUEST", {
      code: "ENVIRONMENT_SWITCH",
      details: `The last apply on this machine was for ${known.environment}. Nothing was recorded.`,
      hint: `svcm apply -e ${environment} --switch-environment moves this machine to ${environment}`,
    });
  return { accepted, environment, by: "init", isNew: true };
}

function noEnvironment(requested: string, [first, ...others]: readonly string[]): SvcmError {
  const accepted = first === undefined ? "none" : nameList([first, ...others]);
  return new SvcmError("INVALID_ENVIRONMENT", {
    details: `No environment has the name ${JSON.stringify(requested.slice(0, 80))}. Accepted: ${accepted}.`,
    hint: first === undefined ? "declare environments in svcm.yaml first" : `svcm init --machine-environment ${first}`,
  });
}
