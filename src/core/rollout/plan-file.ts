import type { HasWorkspace } from "../project/port-repository.ts";
import { FileError, type HasFiles } from "../files/ports.ts";
import type { InputOf } from "../api/inputs.ts";
import type { Plan } from "../api/rollout.ts";
import { documentPath } from "../deployments/file.ts";
import { SvcmError } from "../api/errors.ts";

import { parseRecord } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";

type PlanFileOptions = Pick<
  InputOf<"rollout.apply">,
  "environment" | "service" | "apps" | "prune" | "preflight" | "restart" | "plan"
>;

/** The file contains no values, and svcm never runs anything from it. @throws {SvcmError} INVALID_REQUEST */
export async function writePlanFile(ports: HasFiles & HasWorkspace, file: string, plan: Plan): Promise<void> {
  const path = documentPath(ports, file);
  const bytes = new TextEncoder().encode(`${JSON.stringify(plan, null, 2)}\n`);
  try {
    await ports.files.create(path, bytes, undefined, { mayBeOutside: true }).catch((error: unknown) => {
      if (!(error instanceof FileError) || error.code !== "EEXIST") throw error;
      return ports.files.replace(path, () => bytes, undefined, { mayBeOutside: true });
    });
  } catch (error) {
    throw fileRefused(error, path);
  }
}

/** Only the options and the id: an apply computes the plan again. @throws {SvcmError} INVALID_REQUEST */
export async function readPlanFile(ports: HasFiles & HasWorkspace, file: string): Promise<PlanFileOptions> {
  const path = documentPath(ports, file);
  const bytes = await ports.files.read(path, { mayBeOutside: true }).catch((error: unknown) => {
    throw fileRefused(error, path);
  });
  const { planBody } = await import("../api/rollout.ts");
  const { data: plan } = planBody.safeParse(parseRecord(decodeUtf8(bytes) ?? ""));
  if (plan === undefined || plan.id === null)
    throw new SvcmError("INVALID_REQUEST", {
      path,
      details: `${path} does not hold a plan that can be applied. Accepted: a file that svcm plan --out wrote, without --from.`,
    });
  return { environment: plan.environment, ...plan.choices, plan: plan.id };
}

function fileRefused(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error;
  return new SvcmError("INVALID_REQUEST", { code: error.code, path, details: error.message });
}
