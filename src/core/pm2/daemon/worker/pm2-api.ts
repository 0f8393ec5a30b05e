import { LinkFailure, errorText } from "../failure.ts";

/** PM2's own types omit the client. */
export interface Pm2 {
  readonly Client: Pm2Client;
  /** A failure is an error, a text or a list of these. */
  start(declaration: object, done: (error: unknown, started: unknown) => void): void;
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

/** Loading PM2 creates its folders. @throws {LinkFailure} */
export async function loadPm2(): Promise<Pm2> {
  const { default: pm2 } = await loadOrFail<{ default: unknown }>(import("pm2"));
  const api = pm2 as Pm2;
  api.Client.start = (done) => done(new Error("not connected"));
  return api;
}

/** @throws {LinkFailure} PM2_LOAD_FAILED */
export async function loadOrFail<T>(module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch (error) {
    throw new LinkFailure("PM2_LOAD_FAILED", `PM2 cannot be loaded: ${errorText(error)}`);
  }
}
