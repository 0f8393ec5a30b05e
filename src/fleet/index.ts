/** Loaded only if a request concerns another machine. */
import { SvcmError, type Ports } from "../core/index.ts";
import { openFleet } from "./open-fleet.ts";
import { type Fleet, listNodes } from "./fleet.ts";
import { isUnreachable } from "./link-api.ts";
import { natsConfig } from "./nats-config.ts";

export { openFleet } from "./open-fleet.ts";
export { initFleet, joinFleet, SERVER_HINT, startUnit, parseJoinFile } from "./found.ts";
export { createKey } from "./link.ts";
export { listNodes, showNode, findAnswerState } from "./fleet.ts";
export {
  beginRollout,
  listRollouts,
  planRemaining,
  requireOpenRollout,
  planNodes,
  type NodePlan,
} from "./rollout/begin.ts";
export { takeOver, unlockRollout, runRollout } from "./rollout/run.ts";
export { renderAge, readRollout, toRecorded, type RecordedRollout } from "./rollout/record.ts";
export { rolloutState } from "../core/nodes/rollout.ts";
export { startNode, type FleetLog, type RunningNode } from "./start.ts";

/** @throws {SvcmError} START_REFUSED if svcm.yaml has no `nats` */
export async function natsConfigOf(ports: Ports): Promise<string> {
  const [nats, contract] = [(await ports.facts.project())?.nats, await ports.facts.runtimeContract()];
  if (nats === undefined)
    throw new SvcmError("START_REFUSED", {
      details: "svcm.yaml declares no nats. Accepted: nats with users and nodes; docs/how-to/fleet.md has an example.",
    });
  return natsConfig(nats, Object.keys(contract.environments));
}

/** @throws {SvcmError} as `openFleet` */
export async function connectFleet(ports: Ports, env: Readonly<Record<string, string | undefined>>) {
  const fleet = await openFleet(ports, env);
  return { ...fleet, list: (deadlineMs: number) => listNodes(fleet, deadlineMs) };
}

const START_MS = 15_000;
const RETRY_MS = 250;

/** Waits until the started server answers. @throws {SvcmError} as `openFleet`, FLEET_FAILED */
export async function setUpStarted(ports: Ports, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const until = ports.clock.elapsed() + START_MS;
  for (;;) {
    try {
      await withFleet(ports, env, (fleet) => fleet.setUp());
      return;
    } catch (error) {
      if (!isUnreachable(error) || ports.clock.elapsed() >= until) throw error;
      await ports.clock.sleep(RETRY_MS);
    }
  }
}

export async function withFleet<T>(
  ports: Ports,
  env: Readonly<Record<string, string | undefined>>,
  work: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const fleet = await openFleet(ports, env);
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}
