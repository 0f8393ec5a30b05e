import lt from "semver/functions/lt.js";
import satisfies from "semver/functions/satisfies.js";
import valid from "semver/functions/valid.js";
import validRange from "semver/ranges/valid.js";
import type { DaemonProcess, Renewal, SavedList } from "../pm2/port-daemons.ts";
import { SvcmError } from "../api/errors.ts";
import type { RestoredProcess } from "../pm2/port-processes.ts";
import { type OwnProcess, type ProcessRecord, isOwnProcess } from "../pm2/process-record.ts";
import { appKind } from "../running/code-evidence.ts";
import type { DaemonFacts } from "./facts.ts";
import type { SystemFacts, UnitFacts, Units } from "./ports.ts";
import { nameList, shellQuote } from "../words/text.ts";
import { compareSaved } from "./rules-list.ts";
import { systemctl } from "./rules-unit.ts";

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
  readonly system: SystemFacts;
  /** It started the daemon, so a new one must be born in it, too. */
  readonly unit: Pick<UnitFacts, "name" | "scope" | "starts"> | undefined;
  readonly home: string;
  /** With which this svcm runs. */
  readonly program: ReturnType<Units["program"]>;
  readonly saved: Pick<SavedList, "state" | "path" | "processes">;
  readonly standing: Renewal | null;
}

/** Everything that would make it fail, so that it begins only if it can end. */
export function renewalProblems(facts: RenewalFacts, goBack: boolean): string[] {
  const { daemons, standing, library, saved } = facts;
  if (daemons === undefined) return ["this system does not show the daemons of PM2; run `pm2 update`"];
  if (goBack && standing === null) return ["no renewal was cut off, so there is nothing to return from"];
  if (goBack) return unitProblems(facts);
  return [
    ...nodeProblems(facts),
    ...unitProblems(facts),
    ...(library === null && !isForAnother(facts) ? ["no PM2 is installed with which a daemon could be started"] : []),
    ...(saved.state === "unreadable" ? [`${saved.path} cannot be read, so the list cannot be saved`] : []),
    ...(standing === null ? daemonProblems(facts) : userProblems(facts)),
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

function daemonProblems(facts: RenewalFacts): string[] {
  const { daemons = [], former: one } = facts;
  const own = daemons.filter(({ isOwn }) => isOwn);
  if (one === undefined) return ["no PM2 daemon with this PM2_HOME runs; `svcm boot restore` starts one"];
  if (one.isForeground)
    return [
      "PM2 runs in the foreground, as pm2-runtime does; start it again with the wanted PM2, in a container from another image",
    ];
  if (own.length > 1) return [`${own.length} daemons use this PM2_HOME: pid ${own.map((each) => each.pid).join(", ")}`];
  return userProblems(facts);
}

/** The new daemon runs as the user who asks for it, also after a renewal that was cut off. */
function userProblems({ former, unit, system }: RenewalFacts): string[] {
  if (former === undefined || former.uid === system.current.uid || unit?.scope === "system") return [];
  return [`the daemon runs as ${former.user}, and you are ${system.current.name}; run it as ${former.user}`];
}

/** Root restarts a unit of the system, whose PM2 then runs as its own user. */
function isForAnother({ unit, former, system }: RenewalFacts): boolean {
  return unit?.scope === "system" && former !== undefined && former.uid !== system.current.uid;
}

function unitProblems({ unit, system: { current }, home, node, program }: RenewalFacts): string[] {
  if (unit === undefined) return [];
  const { name, scope, starts } = unit;
  if (starts === "other")
    return [
      `${name} starts PM2 by its own command; give it the new Node.js, then run: svcm boot save && ${systemctl(unit, `restart ${name}`)}`,
    ];
  if (scope === "user" || current.uid === 0) return [];
  const words = [`PM2_HOME=${home}`, program.node, program.svcm, "daemon", "renew"];
  const chosen = node === program.node ? [] : ["--node", node];
  return [
    `the daemon belongs to ${name}, which only root may restart: sudo ${[...words, ...chosen].map(shellQuote).join(" ")}`,
  ];
}

/** They lead to the requested Node.js. */
const OF_NODE = /^(?:PATH|interpreter)(?:,interpreter)?$/;

/** The first difference between the list before a renewal and after it. */
export function differenceText(before: readonly ProcessRecord[], after: readonly ProcessRecord[]): string | undefined {
  const first = compareSaved(before, after).find(({ kind, keys }) => kind !== "values" || !OF_NODE.test(keys.join()));
  if (first === undefined) return undefined;
  const what = first.keys.length === 0 ? `${first.saved} before, ${first.running} after` : nameList(first.keys);
  return `${first.name} is not as it was before (${first.kind}: ${what})`;
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

/** The first that does not run. */
export function failureText(restored: readonly RestoredProcess[]): string | undefined {
  const one = restored.find(({ outcome }) => outcome === "failed");
  return one && `${one.name} did not start: ${one.reason}`;
}

/** @param former daemon, or its unit */
export function returned(reason: string, former: string, restored: readonly RestoredProcess[]): SvcmError {
  const failed = restored.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  const state = failed.length === 0 ? "runs the apps again" : `has everything but ${nameList([...new Set(failed)])}`;
  return new SvcmError("BOOT_FAILED", {
    code: "RENEW_RETURNED",
    details: `${sentence(reason)} ${former} ${state}.`,
    hint: "Read the log of the app, then repeat the renewal: svcm daemon renew",
  });
}

/** The words of an error have their full stop. */
export function sentence(reason: string): string {
  return reason.endsWith(".") ? reason : `${reason}.`;
}

/**
 * True if a version is in a range of `engines` or of `.nvmrc`; `undefined` for a form that svcm does not read.
 * @see https://github.com/npm/node-semver#ranges
 */
export function isInRange(version: string, range: string): boolean | undefined {
  if (valid(version) === null || validRange(range) === null) return undefined;
  return satisfies(version, range, { includePrerelease: true });
}

export function isOlder(version: string, other: string): boolean {
  return valid(version) !== null && valid(other) !== null && lt(version, other);
}
