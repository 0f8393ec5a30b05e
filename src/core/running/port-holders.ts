/** Decides which process of PM2 a listening socket belongs to, or has belonged to. */
import type { Listener } from "../files/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

/** With the sockets of descendants, but without those that PM2 holds for a cluster. */
export function listenersOf({ pid, execMode }: ProcessRecord, listeners: readonly Listener[]): Listener[] {
  if (pid === null) return [];
  return listeners.filter((socket) => socket.pid === pid || (execMode !== "cluster" && socket.ancestors.includes(pid)));
}

export interface PortHolder {
  readonly port: number;
  readonly pid: number;
  readonly program: string;
  /** The process of PM2 that listens, or whose descendant does. */
  readonly owner: ProcessRecord | undefined;
  /** The app that once started it, and has restarted, stopped or gone since; null for any other program. */
  readonly formerApp: string | null;
}

export interface Machine {
  readonly all: readonly ProcessRecord[];
  readonly listeners: readonly Listener[];
  readonly pm2Home: string;
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

export function isTakenBy(socket: Pick<Listener, "address" | "port">, port: number, address = "::"): boolean {
  const isSame = socket.address === address || ANY_ADDRESS.has(socket.address) || ANY_ADDRESS.has(address);
  return isSame && socket.port === port;
}

/** The holder of a port, unless one of these processes holds it. @param address if it is known; others may have the same port */
export function findHolder(
  port: number,
  own: readonly ProcessRecord[],
  machine: Machine,
  address?: string,
): PortHolder | undefined {
  const [holder, ...others] = machine.listeners.filter((socket) => isTakenBy(socket, port, address));
  if (holder === undefined || own.some((record) => listenersOf(record, [holder, ...others]).length > 0))
    return undefined;
  return describeHolder(holder, machine);
}

/** Those that still listen although the process of this PM2 that started them has ended. */
export function findLeftOvers(machine: Machine): PortHolder[] {
  return machine.listeners
    .map((socket) => describeHolder(socket, machine))
    .filter(({ formerApp }) => formerApp !== null);
}

function describeHolder(socket: Listener, machine: Machine): PortHolder {
  const { port, pid, program } = socket;
  const owner = machine.all.find((record) => listenersOf(record, [socket]).length > 0);
  return { port, pid, program, owner, formerApp: owner === undefined ? formerAppOf(socket, machine) : null };
}

/** PM2's daemon listens for clusters, and an app may have started it. */
const DAEMON = /^PM2 v/;

function formerAppOf({ program, origin }: Listener, { pm2Home }: Machine): string | null {
  return origin === null || origin.pm2Home !== pm2Home || DAEMON.test(program) ? null : origin.name;
}

/** @param app the name of the owner, as it is shown */
export function takenText(holder: PortHolder, app = holder.owner?.name ?? null): string {
  return `Port ${holder.port} is taken by ${holderText({ ...holder, app })}.`;
}

/** `node, pid 4711, a left-over process of api` */
export function holderText({
  pid,
  program,
  app,
  formerApp: former,
}: Pick<PortHolder, "pid" | "program"> & {
  readonly app: string | null;
  readonly formerApp?: string | null | undefined;
}): string {
  const left = former === null || former === undefined ? "" : `, a left-over process of ${former}`;
  return `${app ?? program}, pid ${pid}${left}`;
}
