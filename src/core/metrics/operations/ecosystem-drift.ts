import type { MetricsPorts } from "../telemetry.ts";
import { foreignCode, type Issue } from "../../api/issue.ts";
import type { MetricsPayload } from "../../api/metrics.ts";
import { SvcmError } from "../../api/errors.ts";
import { withMachineEnvironment } from "../../rollout/machine-environment.ts";
import { defineOperation } from "../../access/operation.ts";
import { listConflicts } from "../../rollout/plan-issues.ts";
import { readStateOf } from "../../running/read-states.ts";
import { missingListIssues } from "../../pm2/rules/file.ts";
import { requireEnvironment } from "../../project/required-environment.ts";
import { undecidedIssues } from "../../project/undecided.ts";
import { EcosystemWatch } from "../sampling/ecosystem-watch.ts";

export type EcosystemDrift = Omit<MetricsPayload["ecosystem"], "error" | "code"> & {
  readonly environment: string;
  /** Why a plan refuses the file, so that no difference is not "all is well". */
  readonly issues: readonly Issue[];
};

/**
 * Compares once, without taking measurements. For a service, compares only its apps. Never returns values of arguments
 * and environments.
 */
export const ecosystemDrift = defineOperation({
  id: "ecosystem.drift",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: MetricsPorts, input, caller): Promise<EcosystemDrift> {
    const request = await withMachineEnvironment(ports, input, caller);
    requireEnvironment(await ports.facts.project(), request.environment, ports.workspace.nodeEnv);
    const environment = await ports.telemetry.environment(request, caller);
    // As a plan does, so that both say the same.
    const { list, digest } = await ports.processes.withHomeKey();
    const records = await list();
    const watch = new EcosystemWatch(ports, request, digest);
    const {
      error: details = "",
      code,
      ...view
    } = await watch.compare(records, { isCurrent: true, stateOf: await readStateOf(ports, records) });
    if (code !== undefined)
      throw new SvcmError("ECOSYSTEM_FILE_FAILED", { code: foreignCode(code), path: view.path, details });
    const { content } = await watch.read({ isCurrent: true });
    const undecided = undecidedIssues((await ports.facts.project())?.undecided ?? [], content?.name ?? environment);
    const refused = content === undefined ? [] : listConflicts(content, records, ports.host.cpuCores());
    const issues = [
      ...undecided,
      ...(content ? missingListIssues(content) : []),
      ...refused.flatMap(({ issue }) => (issue.severity === "error" ? [issue] : [])),
    ];
    return { environment, issues, ...(request.service === undefined ? view : withoutOthers(view)) };
  },
});

/** Processes that the service does not declare belong to other services, or to no service. */
function withoutOthers<View extends Pick<EcosystemDrift, "unexpected" | "drift">>(view: View): View {
  return { ...view, unexpected: [], drift: view.drift.filter(({ state }) => state !== "unexpected") };
}
