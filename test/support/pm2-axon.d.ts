/** Modules of PM2 without types: they ask its daemon a question without svcm. */
interface RequestSocket {
  connect(path: string): void;
  close(): void;
}

/** Added to that of src. */
interface Axon {
  socket(kind: "req"): RequestSocket;
}

declare module "pm2/modules/pm2-axon-rpc/index.js" {
  const rpc: {
    Client: new (socket: RequestSocket) => {
      call(method: string, argument: object, done: (error: unknown, answer: unknown) => void): void;
    };
  };
  export default rpc;
}
