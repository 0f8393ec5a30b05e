import type { EventsPorts } from "../ports.ts";
import type { ProcessShowResponse } from "../../api/events.ts";
import { specOf, tierOf } from "../../env/runtime-keys.ts";
import { describeNextActions } from "../next-actions.ts";
import { LAST_ENDS, explainEnd, type Why } from "../why.ts";
import { uptimeMs } from "../../metrics/payload.ts";
import { EcosystemWatch } from "../../metrics/sampling/ecosystem-watch.ts";
import { defineOperation } from "../../access/operation.ts";
import { appKind } from "../../running/verdict.ts";
import { listenersOf } from "../../running/port-holders.ts";
import { readTreeUsage } from "../../running/read-usage.ts";
import { readStateOf } from "../../running/read-states.ts";
import type { StateOf } from "../../running/state.ts";

import type { EnvironmentRequest } from "../../project/resolve.ts";

/**
 * Returns everything that svcm knows about the processes with a name. Never starts a daemon and returns no environment
 * values.
 * @throws {SvcmError} as `explainEnd`; PROCESS_NOT_FOUND if PM2 does not list the name; INVALID_ENVIRONMENT, INVALID_REQUEST
 * for the service
 */
export const processShow = defineOperation({
  id: "process.show",
  access: "read",
  async run(ports: EventsPorts, { name, ...request }, caller): Promise<ProcessShowResponse> {
    const environment = await ports.telemetry.environment(request, caller);
    const why = await explainEnd(ports, name, caller);
    const { declaration, declaredKeys } = await readDeclaration(ports, { ...request, environment }, why);
    const usage = await readTreeUsage(ports, why.processes);
    const contract = await ports.facts.runtimeContract();
    const running = why.processes.flatMap((record) => Object.keys(record.declaration.environment));
    const keys = new Set([...declaredKeys, ...running.filter((key) => specOf(contract, key) !== undefined)]);
    return {
      name,
      processes: describeProcesses(why, await readStateOf(ports, why.processes), ports.clock.now()).map((process) => ({
        ...process,
        ...usage.get(process.pmId),
      })),
      why: why.response,
      ends: why.ends.slice(0, LAST_ENDS),
      declaration,
      env: [...keys].toSorted().map((key) => ({ key, tier: tierOf(contract, key) })),
    };
  },
});

function describeProcesses(
  { processes, listeners }: Why,
  stateOf: StateOf,
  epochMs: number,
): ProcessShowResponse["processes"] {
  return processes.map((record) => {
    const { pmId, status, pid, restartCount, cpuPercent, memoryBytes, execMode, script } = record;
    const state = stateOf(record);
    const sockets = listeners === undefined ? [] : listenersOf(record, listeners);
    // For a cluster, PM2's daemon does the listening.
    const isHidden = listeners === undefined || (execMode === "cluster" && sockets.length === 0);
    return {
      pmId,
      status,
      kind: appKind(record.declaration.settings),
      state: state.name,
      stateReason: state.reason,
      pid,
      uptimeMs: uptimeMs(record, epochMs),
      restartCount,
      cpuPercent,
      memoryBytes,
      execMode,
      script,
      problem: state.problem,
      ports: isHidden ? null : sockets.map(({ address, port, waiting }) => ({ address, port, waiting })),
      next: describeNextActions(record, state, epochMs),
    };
  });
}

interface Declared {
  readonly declaration: ProcessShowResponse["declaration"];
  readonly declaredKeys: readonly string[];
}

/** If a file cannot be read, the process is still shown. */
async function readDeclaration(
  ports: EventsPorts,
  request: EnvironmentRequest & { environment: string },
  { listed, response: { app: name } }: Why,
): Promise<Declared> {
  const watch = new EcosystemWatch(ports, request);
  const { environment } = request;
  const stateOf = await readStateOf(ports, listed ?? []);
  const compared = await watch.compare(listed ?? [], { isCurrent: true, stateOf });
  const { drift, fileName, exists } = compared;
  if (!exists) return { declaration: null, declaredKeys: [] };
  const app = (await watch.read({ isCurrent: false })).expected.find((expected) => expected.name === name);
  const own = drift.filter((entry) => entry.name === name && entry.state !== "unexpected");
  const error = compared.error ?? (listed === undefined ? "PM2 did not answer" : undefined);
  const declaration = { environment, fileName, isDeclared: app !== undefined, drift: listed === undefined ? [] : own };
  return {
    declaration: error === undefined ? declaration : { ...declaration, error },
    declaredKeys: (app?.environments ?? []).flatMap((variables) => Object.keys(variables)),
  };
}
