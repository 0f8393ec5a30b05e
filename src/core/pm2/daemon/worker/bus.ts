import { loadOrFail } from "./pm2-api.ts";
import { fieldsOf } from "./process-record.ts";

export interface BusListener {
  /** In milliseconds since 1970, by process id; undefined if the bus was lost. */
  readonly readyAt: () => ReadonlyMap<number, number> | undefined;
  readonly close: () => void;
}

export async function listenToBus(path: string): Promise<BusListener> {
  const { default: axon } = await loadOrFail(import("pm2/modules/pm2-axon/index.js"));
  const bus = axon.socket("sub-emitter");
  const readyAtMs = new Map<number, number>();
  let isLost = false;
  // A reconnect could miss a message.
  bus.sock.set("retry timeout", 0);
  bus.on("process:msg", (packet) => {
    const { raw, at, process } = fieldsOf(packet);
    const { pm_id: id } = fieldsOf(process);
    if (raw === "ready" && typeof id === "number" && typeof at === "number") readyAtMs.set(id, at);
  });
  await new Promise<void>((resolve) => {
    const lose = (): void => {
      isLost = true;
      resolve();
    };
    for (const event of ["error", "ignored error", "close", "disconnect"]) bus.sock.on(event, lose);
    bus.sock.once("connect", resolve);
    bus.connect(path);
  });
  return { readyAt: () => (isLost ? undefined : readyAtMs), close: () => bus.close() };
}
