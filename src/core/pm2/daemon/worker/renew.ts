/** A new daemon takes the list from the former one, which answers beside it until the end. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, delimiter, dirname } from "node:path";
import { workerData } from "node:worker_threads";
import { readIfReadable, realPathIfReadable } from "../../../files/system.ts";
import { parseRecord } from "../../../words/record.ts";
import type { Renewal } from "../../port-daemons.ts";
import type { RestoredProcess } from "../../port-processes.ts";
import { isDaemon, renewalPath } from "../proc.ts";
import { probeSocket } from "../daemon.ts";
import { homeFailure, LinkFailure } from "../failure.ts";
import { findInstalledPm2, noPm2Text } from "../find-pm2.ts";
import type { RenewCall, WorkerData } from "../protocol.ts";
import { makeOwnFolder, writeInPlace } from "../saved-files.ts";
import { type ActionContext, gracePeriodMs } from "./act.ts";
import { connect, type Connection, listAllProcesses, withTimeout } from "./connection.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { restoreOne } from "./restore-list.ts";
import { isStoppedOrFinite, writeDump } from "./saved-records.ts";

/** Needed by a run after SIGKILL; it holds every value, so only its owner may read it. */
interface Journal extends Renewal {
  readonly program: string;
  readonly formerNode: string | null;
  readonly records: readonly Pm2Process[];
}

type Context = Pick<ActionContext, "home" | "timeoutMs" | "handOver">;

const SOCKETS = { "rpc.sock": "rpc.old", "pub.sock": "pub.old" } as const;
type Socket = keyof typeof SOCKETS | (typeof SOCKETS)[keyof typeof SOCKETS];

const DAEMON_TIMEOUT_MS = 20_000;

interface RenewAnswer {
  /** Of the list before. */
  readonly records?: readonly Pm2Process[];
  readonly restored?: readonly RestoredProcess[];
}

export async function renew(context: Context, call: RenewCall): Promise<RenewAnswer> {
  const journal = parseRecord(readIfReadable(renewalPath(context.home))) as Journal | undefined;
  if (call.step === "begin") return { records: await begin(context, call, journal) };
  if (journal === undefined) throw new LinkFailure("PM2_ACTION_FAILED", "No renewal of the daemon is under way.");
  if (call.step === "return") return { restored: await turnBack(context, journal) };
  if (call.step === "end") await end(context, journal);
  if (call.step !== "move") return {};
  const records = journal.records.filter(({ name }) => String(name) === call.name);
  return { restored: await transfer(context, records, { from: "rpc.old", to: "rpc.sock", nodes: journal }) };
}

async function begin(
  context: Context,
  { node, former: { pid, nodePath }, unit }: Extract<RenewCall, { step: "begin" }>,
  standing: Journal | undefined,
): Promise<readonly Pm2Process[]> {
  const { home } = context;
  const program = unit === null ? daemonProgram() : "";
  const records = standing?.records ?? (await saveList(context)).map(toSettled);
  const head = standing ?? { startedAtMs: Date.now(), formerPid: pid, formerNode: nodePath };
  const journal: Journal = { ...head, step: "forward", node, program, unit, records };
  writeJournal(home, journal);
  if (unit !== null)
    writeDump(
      home,
      records.map((one) => withNode(one, journal)),
    );
  else await startBeside(context, journal);
  return records;
}

function daemonProgram(): string {
  const found = findInstalledPm2((workerData as WorkerData).places);
  if (found.code === undefined) throw new LinkFailure("PM2_LOAD_FAILED", noPm2Text(found));
  return join(found.code.folder, "lib/Daemon.js");
}

async function startBeside(context: Context, journal: Journal): Promise<void> {
  const { home } = context;
  // A socket without a daemon is a trace of one that has ended.
  if (readIfReadable(join(home, "pm2.pid")).trim() === String(journal.formerPid)) moveSockets(home, true);
  if (await answers(home, "rpc.sock")) return;
  context.handOver(DAEMON_TIMEOUT_MS);
  try {
    await startDaemon(home, journal);
  } catch (error) {
    if (await answers(home, "rpc.old")) await turnBack(context, journal);
    throw error;
  }
}

/** @returns also the modules, which a boot starts from PM2's settings */
async function saveList(context: Context): Promise<readonly Pm2Process[]> {
  const { home, timeoutMs } = context;
  const all = await withSocket(context, "rpc.sock", (socket) => listAllProcesses(socket, timeoutMs));
  writeDump(home, all);
  return all;
}

/** PM2 gave up an errored process, so the new daemon must not try it again. */
function toSettled(one: Pm2Process): Pm2Process {
  return one.pm2_env["status"] === "errored" ? { ...one, pm2_env: { ...one.pm2_env, status: "stopped" } } : one;
}

/** Idempotent: processes that a run before this one has moved stay as they are. */
async function transfer(
  context: Context,
  records: readonly Pm2Process[],
  { from, to, nodes }: { readonly from: Socket; readonly to: Socket; readonly nodes?: Journal },
): Promise<RestoredProcess[]> {
  const waitMs = context.timeoutMs + Math.max(0, ...records.map(gracePeriodMs));
  context.handOver(waitMs * (2 + records.length));
  const names = new Set(records.map(({ name }) => String(name)));
  const ofNames = async (socket: Connection): Promise<Pm2Process[]> =>
    (await listAllProcesses(socket, context.timeoutMs)).filter(({ name }) => names.has(String(name)));
  const remove = async (socket: Connection): Promise<void> => {
    const ids = (await ofNames(socket)).map(({ pm_id }) => pm_id);
    // Otherwise PM2 would start a watched process again.
    for (const id of ids) await socket.call("stopWatch", ["deleteProcessId", id], waitMs);
    await Promise.all(ids.map((id) => socket.call("deleteProcessId", [id], waitMs)));
  };
  return await withSocket(context, to, async (target) => {
    const there = await ofNames(target);
    const hasSource = await answers(context.home, from);
    const left = hasSource ? await withSocket(context, from, ofNames) : [];
    if (left.length === 0 && there.length === records.length) return there.map(toRestored);
    if (hasSource) await withSocket(context, from, remove);
    await remove(target);
    const restored: RestoredProcess[] = [];
    for (const record of records) restored.push(await restoreOne(target, withNode(record, nodes), new Set()));
    return restored;
  });
}

function toRestored(one: Pm2Process): RestoredProcess {
  const outcome = isStoppedOrFinite(one) ? "at rest" : "started";
  return { name: String(one.name), pmId: one.pm_id, outcome, reason: null };
}

/** The former daemon has no process left, so nothing ends with it. */
async function end(context: Context, { formerPid }: Journal): Promise<void> {
  const { home } = context;
  // On SIGTERM, it would delete the pid file of the new one and overwrite the saved list.
  if (await answers(home, "rpc.old")) kill(formerPid);
  for (const name of Object.values(SOCKETS)) rmSync(join(home, name), { force: true });
  await saveList(context);
  rmSync(renewalPath(home), { force: true });
}

async function turnBack(context: Context, journal: Journal): Promise<RestoredProcess[]> {
  const { home } = context;
  const { formerPid, records, unit } = journal;
  if (unit) {
    writeJournal(home, { ...journal, step: "back" });
    writeDump(home, records);
    return [];
  }
  const isMoved = existsSync(join(home, "rpc.old"));
  const pid = Number(readIfReadable(join(home, "pm2.pid")));
  if (isMoved ? !(await answers(home, "rpc.old")) : pid !== formerPid)
    throw new LinkFailure("PM2_NOT_RUNNING", `The former daemon, pid ${formerPid}, has ended.`);
  writeJournal(home, { ...journal, step: "back" });
  const restored: RestoredProcess[] = [];
  for (const name of isMoved ? new Set(records.map((one) => String(one.name))) : []) {
    const ofName = records.filter((one) => String(one.name) === name);
    restored.push(...(await transfer(context, ofName, { from: "rpc.sock", to: "rpc.old" })));
  }
  if (pid !== formerPid) kill(pid);
  moveSockets(home, false);
  writeFileSync(join(home, "pm2.pid"), String(formerPid));
  rmSync(renewalPath(home), { force: true });
  return restored;
}

async function answers(home: string, name: Socket): Promise<boolean> {
  return (await probeSocket(join(home, name))) === undefined;
}

/** An open connection stays with the daemon that has it. */
function moveSockets(home: string, isAway: boolean): void {
  for (const [name, former] of Object.entries(SOCKETS)) {
    const [from, to] = isAway ? [name, former] : [former, name];
    if (existsSync(join(home, from)) && (!isAway || !existsSync(join(home, to))))
      renameSync(join(home, from), join(home, to));
  }
}

async function withSocket<T>(
  { home, timeoutMs }: Context,
  name: Socket,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(join(home, name), timeoutMs);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** As PM2's own client does, with the chosen Node.js. */
async function startDaemon(home: string, { node, program }: Pick<Journal, "node" | "program">): Promise<void> {
  const log = openSync(join(home, "pm2.log"), "a");
  const env = { ...process.env, SILENT: "true", PM2_HOME: home };
  const child = spawn(node, [program], { detached: true, cwd: "/", env, stdio: ["ignore", log, log, "ipc"] });
  closeSync(log);
  const ready = new Promise<void>((done, fail) => {
    const failWith = (reason: unknown): void =>
      fail(new LinkFailure("PM2_START_FAILED", `${node} did not start ${program}: ${String(reason)}`));
    child.once("message", () => done());
    child.once("error", failWith);
    child.once("exit", (code, signal) => failWith(`it ended with ${signal ?? code}`));
  });
  await withTimeout(ready, DAEMON_TIMEOUT_MS, "The new PM2 daemon did not come up");
  child.disconnect();
  child.unref();
}

function kill(pid: number): void {
  if (isDaemon(pid)) process.kill(pid, "SIGKILL");
}

function writeJournal(home: string, journal: Journal): void {
  try {
    makeOwnFolder(home);
    writeInPlace(renewalPath(home), JSON.stringify(journal));
  } catch (error) {
    throw homeFailure(`${renewalPath(home)} cannot be written`, error);
  }
}

interface Nodes {
  readonly node: string;
  /** Null if it cannot be seen. */
  readonly formerNode: string | null;
}

/**
 * An app without an own interpreter has `node`, which PM2 looks for in the app's PATH, or the path of the Node.js that
 * started it.
 */
function withNode(saved: Pm2Process, nodes: Nodes | undefined): Pm2Process {
  const { pm2_env: record } = saved;
  const interpreter = record["exec_interpreter"];
  if (nodes === undefined || typeof interpreter !== "string") return saved;
  const { node, formerNode } = nodes;
  const isFormer = interpreter === formerNode || realPathIfReadable(interpreter) === formerNode;
  if (interpreter.startsWith("/"))
    return isFormer ? { ...saved, pm2_env: { ...record, exec_interpreter: node } } : saved;
  if (interpreter !== "node") return saved;
  const env = record["env"] as Readonly<Record<string, unknown>> | undefined;
  return {
    ...saved,
    pm2_env: { ...record, ...pathTo(node, record), ...(env && { env: { ...env, ...pathTo(node, env) } }) },
  };
}

function pathTo(node: string, variables: Readonly<Record<string, unknown>>): { readonly PATH?: string } {
  const { PATH: path = "" } = variables;
  const folders = typeof path === "string" ? path.split(delimiter) : [];
  const found = folders.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  const isChosen = found !== undefined && realPathIfReadable(found) === realPathIfReadable(node);
  return isChosen ? {} : { PATH: [dirname(node), ...folders].join(delimiter) };
}
