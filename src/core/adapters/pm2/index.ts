import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "../../ports/index.ts";
import type { Processes } from "../../ports/processes.ts";
import { fileLocks, type FileLocks } from "../files/lock.ts";
import { digestWith } from "./digest.ts";
import { environmentForPm2 } from "./environment.ts";
import { LinkFailure, pm2Failed, unreachable } from "./failure.ts";
import { pm2Home, whyUnusable, type Pm2Home } from "./home.ts";
import { workerLink, type Link } from "./link.ts";
import { pm2Names } from "./names.ts";
import { ownProcess } from "./own-process.ts";
import { probe } from "./probe.ts";
import type { Call } from "./protocol.ts";

export interface Pm2Options {
  /** Of this process: says which PM2 is meant, and what little of it PM2 may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** How long PM2 may take to answer; an action gets what its app needs to end and to start on top. */
  readonly timeoutMs?: number;
}

const ANSWER_MS = 5000;
/** A process that others act on takes that long at most to end and to start. */
const LOCK_MS = 60_000;

/** The PM2 that the environment means. Nothing is loaded or touched before the first call. */
export function pm2Processes({ env, cwd, timeoutMs = ANSWER_MS }: Pm2Options): Processes {
  const home = pm2Home(env, cwd);
  const clean = environmentForPm2(env, home.folder);
  let salted: Uint8Array | undefined;
  const salt = (): Uint8Array => (salted ??= randomBytes(32));
  const newLink = (): Link =>
    workerLink({ env: { ...clean, PM2_DISABLE_VERSION_CHECK: "1" }, socket: home.socket, salt: salt(), timeoutMs });
  let kept: Link | undefined;
  const link = (): Link => (kept ??= newLink());
  let made: FileLocks | undefined;
  const locks = (): FileLocks => (made ??= fileLocks({ timeoutMs: LOCK_MS }));

  const act = (call: Call): Promise<void> =>
    explained(async () => {
      await refuseUnreachable(home);
      await link().call(call);
    });

  return {
    list: (signal) =>
      explained(async () => {
        await refuseUnreachable(home);
        const { processes = [] } = await link().call({ method: "list" }, signal);
        return processes.toSorted((a, b) => a.pmId - b.pmId);
      }),
    scrub: (texts) => explained(async () => (await link().call({ method: "scrub", texts })).texts ?? []),
    names: () => pm2Names(env, cwd),
    start: (process) => act({ method: "start", process }),
    stop: (process) => act({ method: "stop", process }),
    restart: (process, variables) => act({ method: "restart", process, ...(variables && { env: variables }) }),
    startApp: (name, apps) =>
      explained(() => {
        refuseUnusable(home);
        return once(newLink(), { method: "startApp", name, apps });
      }),
    exclusively: (what, work) =>
      explained(async () => {
        refuseUnusable(home);
        makeFolder(home);
        const target = join(home.folder, what === "start" ? "start" : `process-${what.pmId}`);
        return locks().hold({ target, path: target }, work);
      }),
    digest: (value) => digestWith(salt(), value),
    own: () => ownProcess(env),
    close: async () => kept?.close(),
  };
}

/** PM2 may leave the worker that starts apps in any state: nobody uses it after that. */
async function once(link: Link, call: Call): Promise<void> {
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

/** Costs a tenth of a millisecond, where loading PM2 to find nobody costs a quarter of a second. */
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
    throw new LinkFailure("PM2_HOME_UNUSABLE", `PM2_HOME cannot be made (${code}): ${message}`);
  }
}

/** @throws {SvcmError} PM2_FAILED for every failure of the link and of its locks. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LinkFailure) throw pm2Failed(error.facts);
    if (!(error instanceof FileError)) throw error;
    if (error.code === "ELOCKED") throw pm2Failed({ code: error.code, details: error.message });
    throw pm2Failed({ code: "PM2_HOME_UNUSABLE", details: `PM2_HOME cannot be written: ${error.message}` });
  }
}
