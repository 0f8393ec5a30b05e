import { LinkFailure, wordsOf } from "../failure.ts";

/** The used part of PM2, for the pinned version, because PM2's own types leave out the client. */
export interface Pm2 {
  readonly Client: Pm2Client;
  /** Failures come as an error, a text or a list of either. */
  start(declaration: object, done: (error: unknown, started: unknown) => void): void;
}

export interface Pm2Client {
  launchRPC(done: (error?: Error | null) => void): void;
  launchDaemon(options: { interactor: false }, done: (error: unknown) => void): void;
  start: (done: (error: Error) => void) => void;
  client_sock: { set(setting: "retry timeout", ms: number): void };
}

/** It holds every value of the process's environment twice. */
export interface Pm2Process {
  readonly pm_id: number;
  readonly name: unknown;
  readonly pid?: number;
  readonly monit?: { readonly cpu?: unknown; readonly memory?: unknown };
  readonly pm2_env: Readonly<Record<string, unknown>>;
}

/** PM2 makes its folders when it is loaded. A call without a connection fails and starts no daemon. @throws {LinkFailure} */
export async function loadPm2(): Promise<Pm2> {
  const { default: pm2 } = await loaded<{ default: unknown }>(import("pm2"));
  const api = pm2 as Pm2;
  api.Client.start = (done) => done(new Error("not connected"));
  return api;
}

/** A module of PM2. @throws {LinkFailure} PM2_LOAD_FAILED */
export async function loaded<T>(module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch (error) {
    throw new LinkFailure("PM2_LOAD_FAILED", `PM2 cannot be loaded: ${wordsOf(error)}`);
  }
}
