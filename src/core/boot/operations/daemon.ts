import { defineOperation } from "../../access/operation.ts";
import type { DaemonReport } from "../../api/boot.ts";
import { daemonReport } from "../examine.ts";
import type { BootPorts, NewUnit } from "../ports.ts";
import { readDaemonFacts, readRenewalFacts, readUnreached } from "../read-facts.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { FormerDaemon, RestoredProcess } from "../../pm2/port-processes.ts";
import { noteProcesses } from "../../rollout/control/action.ts";
import { recordStarts } from "../../rollout/record-starts.ts";
import { waitForRestored } from "./saved-list.ts";
import { differenceText, failureText, renewalProblems, returned, sentence, type RenewalFacts } from "../renewal.ts";
import type { RenewedUnit } from "../../pm2/port-daemons.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { planUnit } from "../unit-text.ts";

export const daemonShow = defineOperation({
  id: "daemon.show",
  access: "read",
  async run(ports: BootPorts): Promise<DaemonReport> {
    const facts = await readDaemonFacts(ports, ports.daemons.libraryVersion);
    return daemonReport({ ...facts, unreached: await readUnreached(ports), lost: ports.processes.lostDaemons() });
  },
});

export interface DaemonRenewResponse {
  /** `returned`: a renewal that was cut off was undone. */
  readonly state: "renewed" | "returned";
  readonly before: DaemonVersions;
  readonly after: DaemonVersions;
  /** The unit that systemd restarted; null if a new daemon ran beside the former one. */
  readonly unit: Pick<NewUnit, "name" | "replaced"> | null;
  /** When a renewal began that this one finished or undid; null for a new one. */
  readonly goesOnSince: string | null;
  readonly processes: readonly RestoredProcess[];
}

interface DaemonVersions {
  readonly pid: number | null;
  readonly pm2: string | null;
  readonly node: string | null;
}

/** The same list in a new daemon, app by app, with the way back until the former daemon ends. */
export const daemonRenew = defineOperation({
  id: "daemon.renew",
  access: "admin",
  async run(ports: BootPorts, { node, goBack }, caller): Promise<DaemonRenewResponse> {
    const chosen = node ?? ports.units.program().node;
    return await withAudit(ports, caller, { action: "daemon.renew", target: chosen }, (attempt) =>
      withRolloutLocks(ports, async () => {
        const facts = await readRenewalFacts(ports, chosen);
        const problems = renewalProblems(facts, goBack);
        if (problems.length > 0) throw refused(problems, goBack);
        const { standing, running, saved, former } = facts;
        // A renewal that was cut off, and whose daemons have ended, starts one as any start does.
        if (standing?.unit === null && former === undefined && !goBack) await ports.processes.requireLasting();
        const names = new Set([...running, ...saved.processes].map(({ name }) => name));
        noteProcesses(
          attempt,
          ports,
          [...names].map((name) => ({ name, pmId: null })),
        );
        await attempt.begin();
        const before = await ownVersions(ports);
        const isBack = goBack || standing?.step === "back";
        const answer = await renewBy(ports, facts, isBack);
        await recordStarts(ports);
        return {
          state: isBack ? "returned" : "renewed",
          before,
          after: await ownVersions(ports),
          goesOnSince: standing === null ? null : new Date(standing.startedAtMs).toISOString(),
          ...answer,
        };
      }),
    );
  },
});

/** An apply or a deploy would meet a list that is half in each daemon. @throws {SvcmError} APPLY_LOCKED, DEPLOY_LOCKED */
async function withRolloutLocks<T>(ports: BootPorts, work: () => Promise<T>): Promise<T> {
  const { releases, deployed, processes } = ports;
  const root = (await deployed.link({ environment: undefined }))?.replace(/\/current$/, "");
  const apply = (): Promise<T> => releases.withLock(0, () => processes.withLock("start", work));
  return await (root === undefined ? apply() : deployed.withLock(root, 0, apply));
}

async function renewBy(
  ports: BootPorts,
  facts: RenewalFacts,
  isBack: boolean,
): Promise<Pick<DaemonRenewResponse, "unit" | "processes">> {
  const { standing, unit, node, former } = facts;
  if (standing === null ? unit !== undefined : standing.unit !== null) return await renewUnit(ports, facts, isBack);
  return { unit: null, processes: isBack ? await turnBack(ports) : await moveAll(ports, node, former) };
}

async function moveAll(ports: BootPorts, node: string, former: FormerDaemon | undefined): Promise<RestoredProcess[]> {
  const { renewal } = ports.processes;
  // One that was cut off knows its former daemon.
  const { before, names } = await renewal.begin(node, former ?? { pid: 0, nodePath: null }, null);
  const moved: RestoredProcess[] = [];
  let reason: string | undefined;
  try {
    for (const name of names) {
      const answers = await renewal.move(name);
      moved.push(...answers);
      // A module is in no list.
      const isApp = before.some((app) => app.name === name);
      reason = failureText(isApp ? await waitForRestored(ports, answers) : answers);
      if (reason !== undefined) break;
    }
    reason ??= differenceText(before, await ports.processes.list());
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    reason = error.message;
  }
  if (reason !== undefined) throw returned(reason, "The former daemon", await turnBack(ports));
  await renewal.end();
  return moved;
}

async function turnBack(ports: BootPorts): Promise<readonly RestoredProcess[]> {
  return await waitForRestored(ports, await ports.processes.renewal.turnBack());
}

function refused(problems: readonly string[], goBack: boolean): SvcmError {
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "RENEW_REFUSED",
    details: `Nothing was touched: ${problems.join("; ")}.`,
    hint: goBack ? "To see what runs: svcm daemon" : "Remove what is named, then repeat: svcm daemon renew",
  });
}

async function ownVersions({ daemons }: BootPorts): Promise<DaemonVersions> {
  const own = (await daemons.list())?.findLast(({ isOwn }) => isOwn);
  return { pid: own?.pid ?? null, pm2: own?.pm2Version ?? null, node: await daemons.nodeVersion() };
}

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
async function renewUnit(ports: BootPorts, facts: RenewalFacts, isBack: boolean): Promise<UnitRenewal> {
  const plan = await planRenewal(ports, facts);
  const { planned, former } = plan;
  if (isBack) return { unit: { ...former, replaced: [] }, processes: await switchBack(ports, plan) };
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

async function switchBack(ports: BootPorts, { planned, former }: Plan): Promise<readonly RestoredProcess[]> {
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
      details: `${sentence(reason)} The unit cannot return to its former Node.js, ${former?.nodePath ?? "which is unknown"}: it is gone.`,
      hint: "Read the log of the app and correct it, then go on: svcm daemon renew",
    });
  return returned(reason, `${plan.former.name}, with its former Node.js,`, await switchBack(ports, plan));
}
