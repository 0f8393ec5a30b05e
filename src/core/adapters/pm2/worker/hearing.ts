import { loaded } from "./pm2-api.ts";
import { objectOf } from "./process-record.ts";

export interface Hearing {
  /** In milliseconds since 1970, by process id; undefined if the bus was lost. */
  readonly readyAt: () => ReadonlyMap<number, number> | undefined;
  readonly close: () => void;
}

export async function hearBus(path: string): Promise<Hearing> {
  const { default: axon } = await loaded(import("pm2/modules/pm2-axon/index.js"));
  const bus = axon.socket("sub-emitter");
  const heard = new Map<number, number>();
  let isLost = false;
  // A reconnect could miss a message.
  bus.sock.set("retry timeout", 0);
  bus.on("process:msg", (packet) => {
    const { raw, at, process } = objectOf(packet);
    const { pm_id: id } = objectOf(process);
    if (raw === "ready" && typeof id === "number" && typeof at === "number") heard.set(id, at);
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
  return { readyAt: () => (isLost ? undefined : heard), close: () => bus.close() };
}
