import type { DaemonProcess, Renewal } from "../pm2/port-daemons.ts";
import type { SavedList } from "../pm2/port-saved-list.ts";
import { type OwnProcess, type ProcessRecord, isOwnProcess } from "../pm2/process-record.ts";
import { appKind } from "../running/verdict.ts";
import { type DaemonFacts } from "./facts.ts";
import { isInRange } from "./node-range.ts";
import type { MachineUser, UnitFacts } from "./port-units.ts";
import { nameList } from "../words/pluralize.ts";

/** The facts that decide if the daemon can be renewed. */
export interface RenewalFacts {
  readonly node: string;
  /** Null if the file cannot run. */
  readonly nodeVersion: string | null;
  readonly wantedNode: DaemonFacts["wantedNode"];
  readonly library: string | null;
  /** `undefined` where the system does not show processes. */
  readonly daemons: readonly DaemonProcess[] | undefined;
  readonly former: DaemonProcess | undefined;
  readonly running: readonly ProcessRecord[];
  readonly own: OwnProcess;
  readonly user: MachineUser;
  readonly units: readonly UnitFacts[];
  readonly saved: Pick<SavedList, "state" | "path" | "processes">;
  readonly standing: Renewal | null;
}

/** Everything that would make it fail, so that it begins only if it can end. */
export function renewalProblems(facts: RenewalFacts, goBack: boolean): string[] {
  const { daemons, standing, library, saved } = facts;
  if (daemons === undefined) return ["this system does not show the daemons of PM2; run `pm2 update`"];
  if (goBack) return standing === null ? ["no renewal was cut off, so there is nothing to return from"] : [];
  return [
    ...nodeProblems(facts),
    ...(library === null ? ["no PM2 is installed with which a daemon could be started"] : []),
    ...(saved.state === "unreadable" ? [`${saved.path} cannot be read, so the list cannot be saved`] : []),
    ...(standing === null ? daemonProblems(facts) : []),
    ...processProblems(facts),
  ];
}

function nodeProblems({ node, nodeVersion, wantedNode }: RenewalFacts): string[] {
  if (!node.startsWith("/")) return [`--node takes an absolute path, and ${node} is not one`];
  if (nodeVersion === null) return [`${node} is not a Node.js that runs`];
  if (wantedNode === null || isInRange(nodeVersion, wantedNode.range) !== false) return [];
  return [
    `${node} is Node.js ${nodeVersion}, and ${wantedNode.file} asks for ${wantedNode.range}; name another one with --node`,
  ];
}

function daemonProblems({ daemons = [], former: one, user, units }: RenewalFacts): string[] {
  const own = daemons.filter(({ isOwn }) => isOwn);
  if (one === undefined) return ["no PM2 daemon with this PM2_HOME runs; `svcm boot restore` starts one"];
  if (one.isForeground) return ["pm2-runtime runs the apps; start a new container from an image with the wanted PM2"];
  if (own.length > 1) return [`${own.length} daemons use this PM2_HOME: pid ${own.map((each) => each.pid).join(", ")}`];
  const unit = units.find(({ isOfHome, name }) => isOfHome && one.group?.split("/").includes(name));
  const manager = unit?.scope === "user" ? "systemctl --user" : "sudo systemctl";
  return [
    ...(one.uid === user.uid
      ? []
      : [`the daemon runs as ${one.user}, and you are ${user.name}; run it as ${one.user}`]),
    ...(unit === undefined
      ? []
      : [
          `the daemon belongs to ${unit.name}, and a new one must be born in it: svcm boot save && svcm boot enable && ${manager} restart ${unit.name}`,
        ]),
  ];
}

const SETTLED = new Set(["online", "stopped", "errored"]);

function processProblems({ running, own }: RenewalFacts): string[] {
  const self = running.find((one) => isOwnProcess(one, own));
  const jobs = running.filter(
    ({ status, declaration }) => status === "online" && appKind(declaration.settings) !== "service",
  );
  const unsettled = running.filter(({ status }) => !SETTLED.has(status));
  return [
    ...(self === undefined ? [] : [`this svcm runs in ${self.name}, which would end; run it in a separate terminal`]),
    ...(jobs.length === 0
      ? []
      : [`${nameList(namesOf(jobs))} runs, and would be cut off; wait for its end, or stop it`]),
    ...unsettled.map(({ name, status }) => `${name} is ${status}`),
  ];
}

function namesOf(processes: readonly ProcessRecord[]): string[] {
  return [...new Set(processes.map(({ name }) => name))];
}
