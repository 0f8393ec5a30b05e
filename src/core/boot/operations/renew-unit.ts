import { SvcmError } from "../../api/errors.ts";
import type { RenewedUnit } from "../../pm2/port-daemons.ts";
import type { RestoredProcess } from "../../pm2/port-processes.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { waitForRestored } from "../gate.ts";
import { planUnit } from "../plan-unit.ts";
import type { BootPorts } from "../ports.ts";
import type { NewUnit } from "../port-units.ts";
import { differenceText, failureText, returned, type RenewalFacts } from "../renewal.ts";

interface UnitRenewal {
  readonly unit: Pick<NewUnit, "name" | "replaced">;
  readonly processes: readonly RestoredProcess[];
}

/** The needs of a restart of a unit. A run after SIGKILL finds them again. */
interface Plan {
  readonly facts: RenewalFacts;
  readonly planned: NewUnit;
  readonly former: RenewedUnit;
}

/** A new daemon is born in its unit: systemd ends the former one with its apps, and the unit brings back the saved list. */
export async function renewUnit(ports: BootPorts, facts: RenewalFacts, isBack: boolean): Promise<UnitRenewal> {
  const plan = await planRenewal(ports, facts);
  const { planned, former } = plan;
  if (isBack) return { unit: { ...former, replaced: [] }, processes: await goBack(ports, plan) };
  const { renewal } = ports.processes;
  const { before } = await renewal.begin(facts.node, facts.former ?? { pid: 0, nodePath: null }, former);
  const reason = await tryTo(ports, plan, before);
  if (reason !== undefined) throw await failed(ports, plan, reason);
  await renewal.end();
  const { name, replaced } = planned;
  return { unit: { name, replaced }, processes: (await ports.processes.list()).map(toRestored) };
}

async function planRenewal({ units, savedLists, processes, host }: BootPorts, facts: RenewalFacts): Promise<Plan> {
  const { system, home, node, program, former, standing, unit } = facts;
  const user = units.findUser(former?.user ?? "") ?? system.owner ?? system.current;
  const saved = await savedLists.read((value) => processes.digest(value));
  const digest = (bytes: Uint8Array): string => host.digest(bytes);
  const planned = planUnit({ system, user, home, saved, program: { ...program, node }, digest });
  const own = system.units.find(({ name, scope }) => name === planned.name && scope === planned.scope);
  const { name, scope } = unit ?? planned;
  return { facts, planned, former: standing?.unit ?? { name, scope, ownText: own?.text ?? null } };
}

/** @returns why it is not as before */
async function tryTo(
  ports: BootPorts,
  { facts, planned }: Plan,
  before: readonly ProcessRecord[],
): Promise<string | undefined> {
  try {
    await ports.units.enable(planned);
    await ports.units.control("restart", planned);
    const version = await ports.daemons.nodeVersion();
    if (version !== facts.nodeVersion) return `the daemon runs Node.js ${version}, not ${facts.nodeVersion}`;
    return failureText(await settled(ports)) ?? differenceText(before, await ports.processes.list());
  } catch (error) {
    if (error instanceof SvcmError) return error.message;
    throw error;
  }
}

async function settled(ports: BootPorts): Promise<readonly RestoredProcess[]> {
  return await waitForRestored(ports, (await ports.processes.list()).map(toRestored));
}

function toRestored({ name, pmId, status }: ProcessRecord): RestoredProcess {
  return { name, pmId, outcome: status === "stopped" ? "at rest" : "started", reason: null };
}

async function goBack(ports: BootPorts, { planned, former }: Plan): Promise<readonly RestoredProcess[]> {
  const { units, processes, workspace } = ports;
  await processes.renewal.turnBack();
  const own = (await units.read(workspace.pm2Home)).units.find(({ name }) => name === planned.name);
  if (own !== undefined && former.name !== own.name) await units.control("stop", own);
  if (former.ownText !== null) await units.enable({ ...planned, text: former.ownText, replaced: [], linger: false });
  else if (own !== undefined) await units.disable(own);
  await units.control("restart", former);
  const restored = await settled(ports);
  await processes.renewal.end();
  return restored;
}

async function failed(ports: BootPorts, plan: Plan, reason: string): Promise<SvcmError> {
  const { former } = plan.facts;
  if (former?.nodeFile !== "present")
    return new SvcmError("BOOT_FAILED", {
      code: "RENEW_UNFINISHED",
      details: `${reason}. The unit cannot return to its former Node.js, ${former?.nodePath ?? "which is unknown"}: it is gone.`,
      hint: "Read the log of the app and correct it, then go on: svcm daemon renew",
    });
  return returned(reason, `${plan.former.name}, with its former Node.js,`, await goBack(ports, plan));
}
