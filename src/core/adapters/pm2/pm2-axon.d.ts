/** A module of PM2 without types: it listens to PM2's bus. */
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
