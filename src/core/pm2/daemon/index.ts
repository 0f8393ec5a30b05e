import { homeCode } from "../../api/errors.ts";
import { isFullDisk } from "../../api/issue.ts";
import { FileError } from "../../files/ports.ts";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Processes } from "../port-processes.ts";
import { once } from "../../words/once.ts";
import { errorCode } from "../../words/thrown.ts";
import { readRoom } from "../../files/host.ts";
import { fileLocks, type LockedFile } from "../../files/lock.ts";
import { listPm2Names, probeSocket } from "./daemon.ts";
import { homeFailure, LinkFailure, lostFailure, pm2Error, unreachableError } from "./failure.ts";
import { homeProblem, pm2Home, type Pm2Home } from "../../project/workspace.node.ts";
import { commandReader } from "./command-reader.ts";
import { readSurvivors, requireEnded } from "./daemon-traces.ts";
import { digestWith, homeKey } from "./key.ts";
import { Link } from "./link.ts";
import { queuedMs } from "../../files/system.ts";
import { isAppOf, isElsewhere, lostDaemons, ownProcess, runsElsewhere } from "./proc.ts";
import {
  isRead,
  type ActionCall,
  type Answer,
  type Call,
  type FileCall,
  type ReadCall,
  type RenewCall,
} from "./protocol.ts";
import { MIN_PM2_LOG_SPACE } from "../settings.ts";
import type { ProcessRecord } from "../process-record.ts";
import { environmentForPm2 } from "./environment.ts";

export interface Pm2Options {
  /** PM2 itself gets only a small part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Defaults to `cwd`. */
  readonly root?: string;
  /** For an action, the time that its app needs to stop and start is added. */
  readonly timeoutMs?: number;
  /** A command reads PM2's list in its thread. In a server, a long list would delay every answer. */
  readonly isCommand?: boolean | undefined;
}

const CALL_TIMEOUT_MS = 5000;
const LOCK_TIMEOUT_MS = 60_000;

export function pm2Processes(options: Pm2Options): Processes {
  const { env, cwd, timeoutMs = CALL_TIMEOUT_MS, isCommand = false } = options;
  const home = pm2Home(env, cwd);
  const salt = once(() => randomBytes(32));
  const locks = once(() => fileLocks({ timeoutMs: LOCK_TIMEOUT_MS }));
  const newLink = (): Link => openLink(options, home, salt());
  let current: Link | undefined;
  const link = (): Link => (current ??= newLink());
  const reader = once(() => commandReader({ socket: home.socket, salt: salt(), timeoutMs }));
  const read = (call: ReadCall, signal?: AbortSignal): Promise<Answer> =>
    isCommand ? reader().read(call, signal) : link().call(call, signal);
  const callDaemon = async (call: Call, signal?: AbortSignal): Promise<Answer> => {
    requireUsable(home);
    if (isCommand && isRead(call)) return read(call, signal);
    // Avoids starting a worker only to find that there is no daemon.
    const code = await probeSocket(home.socket);
    if (code !== undefined) throw unreachableError(code, home.socket);
    return link().call(call, signal);
  };
  const { launch, ...busMethods } = listening(home, link, newLink);
  return {
    ...listMethods(home, callDaemon),
    scrub: (texts) => withPm2Errors(async () => (await read({ method: "scrub", texts })).texts ?? []),
    names: () => listPm2Names(env, cwd),
    ...busMethods,
    unlistedPids: () => withPm2Errors(async () => (await callDaemon({ method: "unlisted" })).pids ?? []),
    runsElsewhere: (scripts) => runsElsewhere(home.folder, scripts),
    lostDaemons: () => lostDaemons(home.folder, true),
    survivors: () => readSurvivors(home.folder),
    suspend: ({ pid }, isSuspended) =>
      withPm2Errors(async () => sendSignal(home, pid, isSuspended ? "SIGSTOP" : "SIGCONT")),
    ...actionMethods((call) => withPm2Errors(() => callDaemon(call))),
    ...startMethods(home, newLink, launch),
    renewal: renewalOf((call) =>
      withPm2Errors(async () => {
        // An open connection would stay with the former daemon.
        if (isCommand) await reader().close();
        return await link().call(call);
      }),
    ),
    drain: () => withPm2Errors(async () => void (await callDaemon({ method: "drain" }))),
    withLock: (scope, work) => withPm2Errors(() => locks().withLock(lockedFile(home, scope), work)),
    digest: (value) => digestWith(salt(), value),
    queuedMs,
    ownProcess: () => ownProcess(env),
    close: async () => void (await Promise.all([current?.close(), isCommand && reader().close()])),
  };
}

function openLink(
  { env, cwd, root = cwd, timeoutMs = CALL_TIMEOUT_MS }: Pm2Options,
  { folder, socket }: Pm2Home,
  salt: Uint8Array,
): Link {
  const clean = { ...environmentForPm2(env, dirname(socket)), PM2_DISABLE_VERSION_CHECK: "1" };
  const places = { root, home: folder, path: env["PATH"] };
  return new Link({ env: clean, socket, salt, timeoutMs, places });
}

function listMethods(
  home: Pm2Home,
  callDaemon: (call: Call, signal?: AbortSignal) => Promise<Answer>,
): Pick<Processes, "list" | "withHomeKey"> {
  const list = (key?: Uint8Array, signal?: AbortSignal): ReturnType<Processes["list"]> =>
    withPm2Errors(async () => {
      const { processes = [] } = await callDaemon({ method: "list", ...(key && { salt: key }) }, signal);
      const sorted = processes.toSorted((a, b) => a.pmId - b.pmId);
      return isElsewhere(home.folder) ? sorted.map((one) => ({ ...one, isElsewhere: true as const })) : sorted;
    });
  return {
    list: (signal) => list(undefined, signal),
    withHomeKey: () =>
      withPm2Errors(async () => {
        requireUsable(home);
        const key = await homeKey(home.folder);
        return { list: (signal) => list(key, signal), digest: (value) => digestWith(key, value) };
      }),
  };
}

type BusMethods = Pick<Processes, "listenForReady" | "readyTimes" | "writtenErrors">;

/** PM2's bus comes with its daemon: without `launch`, the first app would write before svcm can listen. */
function listening(
  { socket }: Pm2Home,
  link: () => Link,
  newLink: () => Link,
): BusMethods & { readonly launch: (folder: string) => Promise<void> } {
  let isWanted = false;
  const listen = async (isListening: boolean): Promise<void> => {
    isWanted = isListening;
    await link().call({ method: "ready", isListening });
  };
  return {
    listenForReady: (isListening) => withPm2Errors(() => listen(isListening)),
    readyTimes: () => withPm2Errors(async () => (await link().call({ method: "ready" })).ready),
    writtenErrors: ({ pmId }) => withPm2Errors(async () => (await link().call({ method: "written", pmId })).written),
    async launch(folder) {
      if (!isWanted || (await probeSocket(socket)) === undefined) return;
      await callOnce(newLink(), { method: "launch", folder });
      await listen(true);
    },
  };
}

function lockedFile(home: Pm2Home, scope: Parameters<Processes["withLock"]>[0]): LockedFile {
  requireUsable(home);
  createFolder(home);
  requireSpace(home);
  const path = join(home.folder, scope === "start" ? "start" : `process-${scope.pmId}`);
  return { target: path, path };
}

type StartMethod = "requireLasting" | "startApp" | "registerApp" | "restoreList";

function startMethods(
  home: Pm2Home,
  newLink: () => Link,
  launch: (folder: string) => Promise<void>,
): Pick<Processes, StartMethod> {
  const requireLasting = async () => (await import("./lasting-group.ts")).requireLastingDaemon(home);
  const run = (call: Call, prepare = requireUsable): Promise<Answer> =>
    withPm2Errors(async () => {
      prepare(home);
      await requireOnlyDaemon(home);
      await requireLasting();
      if (call.method === "startApp") {
        if (call.isAtRest !== true) await requireEnded(home.folder, call.name);
        if (call.needsDaemon !== true) await launch(call.folder);
      }
      return await callOnce(newLink(), call);
    });
  return {
    requireLasting: () => withPm2Errors(requireLasting),
    startApp: async (name, apps, folder, how) => void (await run({ method: "startApp", name, apps, folder, ...how })),
    registerApp: async (name, apps, caller, how) => {
      await run({ method: "startApp", name, apps, folder: caller, isAtRest: true, ...how }, () => {
        requireUsable(home);
        createFolder(home);
      });
    },
    restoreList: async () => (await run({ method: "restoreList" })).restored ?? [],
  };
}

type ActionMethod = ActionCall["method"] | "saveRecords" | "restore" | "saveList";

function actionMethods(call: (call: Call) => Promise<Answer>): Pick<Processes, ActionMethod> {
  const act = async (action: ActionCall): Promise<ProcessRecord> => {
    const [before] = (await call(action)).processes ?? [];
    if (before === undefined) throw new Error(`The worker returned no process for ${action.method}.`);
    return before;
  };
  const run = async (action: ActionCall | FileCall): Promise<void> => void (await call(action));
  return {
    start: (target) => act({ method: "start", target }),
    stop: (target) => run({ method: "stop", target }),
    restart: (target, nextRun) => act({ method: "restart", target, run: nextRun }),
    reload: (target, nextRun) => act({ method: "reload", target, run: nextRun }),
    remove: (target) => run({ method: "remove", target }),
    duplicate: (target) => run({ method: "duplicate", target }),
    saveRecords: (path, pmIds) => run({ method: "saveRecords", path, pmIds }),
    restore: (saved, pmId) => run({ method: "restore", saved, pmId }),
    saveList: () => run({ method: "saveList" }),
  };
}

function renewalOf(call: (call: RenewCall) => Promise<Answer>): Processes["renewal"] {
  const method = "renew";
  return {
    begin: async (node, { pid, nodePath }, unit) => {
      const former = { pid, nodePath };
      const { processes = [], texts = [] } = await call({ method, step: "begin", node, former, unit });
      return { before: processes, names: [...new Set(texts)] };
    },
    move: async (name) => (await call({ method, step: "move", name })).restored ?? [],
    end: async () => void (await call({ method, step: "end" })),
    turnBack: async () => (await call({ method, step: "return" })).restored ?? [],
  };
}

/** svcm sends the signal itself: if the process has just ended, PM2 would signal its whole group, including PM2. */
function sendSignal({ folder }: Pm2Home, pid: number | null, name: "SIGSTOP" | "SIGCONT"): void {
  // The number of a run that has ended may belong to another program by now.
  if (pid === null || pid <= 1 || (process.platform === "linux" && !isAppOf(folder, pid))) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH")
      throw new LinkFailure("PM2_ACTION_FAILED", `The process ${pid} cannot be halted.`);
  }
}

/** PM2 would start a second daemon beside one that its socket does not reach, and so each app twice. */
async function requireOnlyDaemon({ socket }: Pm2Home): Promise<void> {
  const failure = lostFailure(socket, (await probeSocket(socket)) === undefined);
  if (failure !== undefined) throw failure;
}

/** After starting apps, the worker is discarded, because PM2 may leave it in any state. */
async function callOnce(link: Link, call: Call): Promise<Answer> {
  try {
    return await link.call(call);
  } finally {
    await link.close();
  }
}

function requireUsable(home: Pm2Home): void {
  const reason = homeProblem(home);
  if (reason !== undefined) throw new LinkFailure("PM2_HOME_UNUSABLE", reason);
}

/** Without space for a line in pm2.log, an action could end the daemon with every app. */
function requireSpace({ folder }: Pm2Home): void {
  if (readRoom(folder, process.getuid?.() === 0).bytes < MIN_PM2_LOG_SPACE)
    throw new LinkFailure("ENOSPC", `The file system of ${folder} has no space for a line in pm2.log.`);
}

function createFolder({ folder }: Pm2Home): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw homeFailure("PM2_HOME cannot be created", error);
  }
}

async function withPm2Errors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LinkFailure) throw pm2Error(error.body);
    if (!(error instanceof FileError)) throw error;
    if (error.code === "ELOCKED") throw pm2Error({ code: error.code, details: error.message });
    const code = isFullDisk(error.code) ? error.code : homeCode(error.code);
    throw pm2Error({ code, details: `PM2_HOME cannot be written: ${error.message}` });
  }
}
