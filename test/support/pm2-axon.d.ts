/** Untyped modules of PM2, which query its daemon without svcm. */
interface RequestSocket {
  connect(path: string): void;
  close(): void;
}

interface Axon {
  socket(kind: "req"): RequestSocket;
}

declare module "pm2/modules/pm2-axon/index.js" {
  const axon: Axon;
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
