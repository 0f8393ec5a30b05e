/** Modules of PM2 without types: two ask its daemon a question without the rest of PM2, one resolves declarations. */
interface RequestSocket {
  connect(path: string): void;
  close(): void;
}

declare module "pm2/modules/pm2-axon/index.js" {
  const axon: { socket(kind: "req"): RequestSocket };
  export default axon;
}

declare module "pm2/modules/pm2-axon-rpc/index.js" {
  const rpc: {
    Client: new (socket: RequestSocket) => {
      call(method: string, argument: object, done: (error: unknown, answer: unknown) => void): void;
    };
  };
  export default rpc;
}

declare module "pm2/lib/Common.js" {
  type Resolved = Record<string, unknown>;
  const common: {
    /** Validates entries of an ecosystem file, with PM2's aliases, units and defaults. */
    verifyConfs(apps: readonly object[]): Error | Resolved[];
    /** Looks up script, interpreter and log files. Throws if one is missing. */
    resolveAppAttributes(options: { readonly cwd: string; readonly pm2_home: string }, app: Resolved): Resolved;
  };
  export default common;
}
