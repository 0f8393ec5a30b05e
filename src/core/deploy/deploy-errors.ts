import { SvcmError } from "../api/errors.ts";
import type { DeployOutcome, DeployRecord } from "./record.ts";

/** The processes were changed, so not everything runs as before. */
export function unswitched(error: unknown, { commit }: DeployRecord): unknown {
  if (!(error instanceof SvcmError)) return error;
  return new SvcmError("APPLY_HALF", {
    ...error.body,
    details: `The apps run ${commit.slice(0, 7)}, but current was not switched: ${error.message}`,
    hint: `Correct that, then: svcm deploy ${commit.slice(0, 10)}`,
  });
}

/** An apply in the checkout would leave the releases. */
export function asDeploy({ kind, body }: SvcmError): SvcmError {
  const { hint, ...rest } = body;
  return new SvcmError(kind, {
    ...rest,
    ...(hint !== undefined && { hint: hint.replaceAll("svcm apply", "svcm deploy") }),
  });
}

export function outcomeOf({ kind }: SvcmError): DeployOutcome {
  return kind === "APPLY_HALF" ? "half" : kind === "APPLY_REVERTED" ? "reverted" : "failed";
}
