import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "../../ports/index.ts";
import type { Processes } from "../../ports/processes.ts";
import { once } from "../../words/once.ts";
import { errorCode } from "../../words/thrown.ts";
import { fileLocks, type Guarded } from "../files/lock.ts";
import { LinkFailure, pm2Failed, unreachable } from "./failure.ts";
import { pm2Home, type Pm2Home, whyUnusable } from "./home.ts";
import { digestWith, homeKey } from "./key.ts";
import { type Link, workerLink } from "./link.ts";
import { ownProcess } from "./own-process.ts";
import { pm2Names, probe } from "./daemon.ts";
import type { ActionCall, Answer, Call, FileCall } from "./protocol.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { isPassedOn } from "../../pm2/inherited.ts";

export interface Pm2Options {
  /** PM2 itself gets only a small part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** For an action, the time that its app needs to stop and start is added. */
  readonly timeoutMs?: number;
}

const ANSWER_MS = 5000;
const LOCK_MS = 60_000;

export function pm2Processes(options: Pm2Options): Processes {
  const { env, cwd } = options;
  const home = pm2Home(env, cwd);
  const salt = once(() => randomBytes(32));
  const locks = once(() => fileLocks({ timeoutMs: LOCK_MS }));
  const newLink = (): Link => openLink(options, home, salt());
  let kept: Link | undefined;
  const link = (): Link => (kept ??= newLink());
  const ask = async (call: Call, signal?: AbortSignal): Promise<Answer> => {
    await refuseUnreachable(home);
    return link().call(call, signal);
  };
  return {
    ...lists(home, ask),
    scrub: (texts) => explained(async () => (await link().call({ method: "scrub", texts })).texts ?? []),
    names: () => pm2Names(env, cwd),
    hearReady: (isOn) => explained(async () => void (await link().call({ method: "ready", isOn }))),
    ready: () => explained(async () => (await link().call({ method: "ready" })).ready),
    unlisted: () => explained(async () => (await ask({ method: "unlisted" })).pids ?? []),
    halt: ({ pid }, isOn) => explained(async () => send(pid, isOn ? "SIGSTOP" : "SIGCONT")),
    ...actions((call) => explained(() => ask(call))),
    startApp: (name, apps, folder) =>
      explained(() => {
        refuseUnusable(home);
        return callOnce(newLink(), { method: "startApp", name, apps, folder });
      }),
    exclusively: (what, work) => explained(() => locks().hold(guarded(home, what), work)),
    digest: (value) => digestWith(salt(), value),
    own: () => ownProcess(env),
    close: async () => kept?.close(),
  };
}

function openLink({ env, timeoutMs = ANSWER_MS }: Pm2Options, { folder, socket }: Pm2Home, salt: Uint8Array): Link {
  const clean = { ...environmentForPm2(env, folder), PM2_DISABLE_VERSION_CHECK: "1" };
  return workerLink({ env: clean, socket, salt, timeoutMs });
}

function lists(
  home: Pm2Home,
  ask: (call: Call, signal?: AbortSignal) => Promise<Answer>,
): Pick<Processes, "list" | "keyed"> {
  const list = (key?: Uint8Array, signal?: AbortSignal): ReturnType<Processes["list"]> =>
    explained(async () => {
      const { processes = [] } = await ask({ method: "list", ...(key && { salt: key }) }, signal);
      return processes.toSorted((a, b) => a.pmId - b.pmId);
    });
  return {
    list: (signal) => list(undefined, signal),
    keyed: () =>
      explained(async () => {
        refuseUnusable(home);
        const key = await homeKey(home.folder);
        return { list: (signal) => list(key, signal), digest: (value) => digestWith(key, value) };
      }),
  };
}

function guarded(home: Pm2Home, what: Parameters<Processes["exclusively"]>[0]): Guarded {
  refuseUnusable(home);
  makeFolder(home);
  const path = join(home.folder, what === "start" ? "start" : `process-${what.pmId}`);
  return { target: path, path };
}

function actions(
  ask: (call: Call) => Promise<Answer>,
): Pick<Processes, "start" | "stop" | "restart" | "reload" | "remove" | "duplicate" | "keep" | "revive" | "save"> {
  const act = async (call: ActionCall): Promise<ProcessRecord> => {
    const [before] = (await ask(call)).processes ?? [];
    if (before === undefined) throw new Error(`The worker returned no process for ${call.method}.`);
    return before;
  };
  const done = async (call: ActionCall | FileCall): Promise<void> => void (await ask(call));
  return {
    start: (target) => act({ method: "start", target }),
    stop: (target) => done({ method: "stop", target }),
    restart: (target, declared) => act({ method: "restart", target, declared }),
    reload: (target, declared) => act({ method: "reload", target, declared }),
    remove: (target) => done({ method: "remove", target }),
    duplicate: (target) => done({ method: "duplicate", target }),
    keep: (path, pmIds) => done({ method: "keep", path, pmIds }),
    revive: (former, pmId) => done({ method: "revive", former, pmId }),
    save: () => done({ method: "save" }),
  };
}

/** svcm sends the signal itself: if the process has just ended, PM2 would signal its whole group, including PM2. */
function send(pid: number | null, name: "SIGSTOP" | "SIGCONT"): void {
  if (pid === null || pid <= 1) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH")
      throw new LinkFailure("PM2_ACTION_FAILED", `The process ${pid} cannot be halted.`);
  }
}

/** After starting apps, the worker is discarded, because PM2 may leave it in any state. */
async function callOnce(link: Link, call: Call): Promise<void> {
  try {
    await link.call(call);
  } finally {
    await link.close();
  }
}

function refuseUnusable(home: Pm2Home): void {
  const reason = whyUnusable(home);
  if (reason !== undefined) throw new LinkFailure("PM2_HOME_UNUSABLE", reason);
}

/** Avoids starting a worker only to find that there is no daemon. */
async function refuseUnreachable(home: Pm2Home): Promise<void> {
  refuseUnusable(home);
  const refused = await probe(home.socket);
  if (refused !== undefined) throw unreachable(refused, home.socket);
}

function makeFolder({ folder }: Pm2Home): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code = "EUNKNOWN", message } = error as NodeJS.ErrnoException;
    throw new LinkFailure("PM2_HOME_UNUSABLE", `PM2_HOME cannot be created (${code}): ${message}`);
  }
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LinkFailure) throw pm2Failed(error.body);
    if (!(error instanceof FileError)) throw error;
    if (error.code === "ELOCKED") throw pm2Failed({ code: error.code, details: error.message });
    throw pm2Failed({ code: "PM2_HOME_UNUSABLE", details: `PM2_HOME cannot be written: ${error.message}` });
  }
}

const PASSED_ON_WINDOWS = /^(?:SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA|PATH)$/i;

/** PM2 passes this environment to every app that it starts, so it contains no variable of svcm. */
function environmentForPm2(env: Readonly<Record<string, string | undefined>>, home: string): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0]),
  );
  return { ...Object.fromEntries(passed), PM2_HOME: home };
}

function isPassed(key: string): boolean {
  return isPassedOn(key) || (process.platform === "win32" && PASSED_ON_WINDOWS.test(key));
}
