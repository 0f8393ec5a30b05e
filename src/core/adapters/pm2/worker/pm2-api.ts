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
  executeRemote(method: string, argument: unknown, done: (error: unknown, answer: unknown) => void): void;
  client: unknown;
  client_sock: RequestSocket;
}

export interface RequestSocket extends NodeJS.EventEmitter {
  set(setting: "retry timeout", ms: number): void;
  queue: unknown[];
  readonly socks: readonly NodeJS.ReadableStream[];
  closing?: boolean;
  close(): void;
}

/** It holds every value of the process's environment twice. */
export interface Pm2Process {
  readonly pm_id: number;
  readonly name: unknown;
  readonly pid?: number;
  readonly monit?: { readonly cpu?: unknown; readonly memory?: unknown };
  readonly pm2_env: Readonly<Record<string, unknown>>;
}

/** PM2 makes its folders when it is loaded. A call without a connection fails and starts no daemon. */
export async function loadPm2(): Promise<Pm2> {
  const pm2 = (await import("pm2")).default as unknown as Pm2;
  pm2.Client.start = (done) => done(new Error("not connected"));
  return pm2;
}
