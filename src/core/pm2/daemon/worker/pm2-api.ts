import { createRequire } from "node:module";
import { join } from "node:path";
import { workerData } from "node:worker_threads";
import { LinkFailure, errorText } from "../failure.ts";
import { findPm2, noPm2Text } from "../find-pm2.ts";
import type { WorkerData } from "../protocol.ts";

/** PM2's own types omit the client. */
export interface Pm2 {
  readonly Client: Pm2Client;
  /** A failure is an error, a text or a list of these. */
  start(declaration: object, done: (error: unknown, started: unknown) => void): void;
  launchModules(done: (error?: unknown) => void): void;
}

export interface Pm2Client {
  launchRPC(done: (error?: Error | null) => void): void;
  launchDaemon(options: { interactor: false }, done: (error: unknown) => void): void;
  start: (done: (error: Error) => void) => void;
  executeRemote: (
    method: string,
    argument: Readonly<Record<string, unknown>>,
    done: (error?: unknown, answer?: unknown) => void,
  ) => void;
  client_sock: { set(setting: "retry timeout", ms: number): void };
}

/** A record holds every value of the process's environment twice. */
export interface Pm2Process {
  readonly pm_id: number;
  readonly name: unknown;
  readonly pid?: number;
  readonly monit?: { readonly cpu?: unknown; readonly memory?: unknown };
  readonly pm2_env: Readonly<Record<string, unknown>>;
}

/** Loading PM2 creates its folders. @throws {LinkFailure} PM2_LOAD_FAILED */
export async function loadPm2(): Promise<Pm2> {
  const api = (await requirePm2(".")) as Pm2;
  api.Client.start = (done) => done(new Error("not connected"));
  return api;
}

/** @param module a path in PM2's folder @throws {LinkFailure} PM2_LOAD_FAILED */
export async function requirePm2(module: string): Promise<unknown> {
  const folder = await pm2Folder();
  try {
    return createRequire(join(folder, "package.json"))(join(folder, module)) as unknown;
  } catch (error) {
    throw new LinkFailure("PM2_LOAD_FAILED", `PM2 in ${folder} cannot be loaded: ${errorText(error)}`);
  }
}

/** @throws {LinkFailure} PM2_LOAD_FAILED */
export async function pm2Folder(): Promise<string> {
  const found = await findPm2((workerData as WorkerData).places);
  if (found.code === undefined) throw new LinkFailure("PM2_LOAD_FAILED", noPm2Text(found));
  return found.code.folder;
}
