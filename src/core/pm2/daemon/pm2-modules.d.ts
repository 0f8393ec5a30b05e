interface BusSocket {
  readonly sock: NodeJS.EventEmitter & { set(setting: "retry timeout", ms: number): void };
  on(event: string, listener: (message: unknown) => void): void;
  connect(path: string): void;
  close(): void;
}

interface Axon {
  socket(kind: "sub-emitter"): BusSocket;
}

declare module "pm2/modules/pm2-axon/index.js" {
  const axon: Axon;
  export default axon;
}

declare module "pm2/lib/Common.js" {
  type Resolved = Record<string, unknown>;
  const common: {
    verifyConfs(apps: readonly object[]): Error | Resolved[];
    resolveAppAttributes(options: { readonly cwd: string; readonly pm2_home: string }, app: Resolved): Resolved;
  };
  export default common;
}
