import { defineOperation } from "../../access/operation.ts";
import type { DaemonReport } from "../../api/boot.ts";
import { daemonReport } from "../examine.ts";
import type { BootPorts } from "../ports.ts";
import { readDaemonFacts, readRenewalFacts } from "../read-facts.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { FormerDaemon, RestoredProcess } from "../../pm2/port-processes.ts";
import { noteProcesses } from "../../rollout/control/action.ts";
import { waitForRestored } from "../gate.ts";
import type { NewUnit } from "../port-units.ts";
import { differenceText, failureText, renewalProblems, returned, type RenewalFacts } from "../renewal.ts";
import { renewUnit } from "./renew-unit.ts";

export const daemonShow = defineOperation({
  id: "daemon.show",
  access: "read",
  async run(ports: BootPorts): Promise<DaemonReport> {
    return daemonReport(await readDaemonFacts(ports, ports.daemons.libraryVersion));
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
        const { standing, running, saved } = facts;
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
