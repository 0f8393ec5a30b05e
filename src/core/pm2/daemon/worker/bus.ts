import { createRequire } from "node:module";
import { join } from "node:path";
import { errorText, LinkFailure } from "../failure.ts";
import { pm2Folder } from "./pm2-api.ts";
import { fieldsOf } from "./process-record.ts";

export interface BusListener {
  /** In milliseconds since 1970, by process id; undefined if the bus was lost. */
  readonly readyAt: () => ReadonlyMap<number, number> | undefined;
  readonly close: () => void;
}

export async function listenToBus(path: string): Promise<BusListener> {
  const axon = await loadAxon();
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

interface BusSocket {
  readonly sock: NodeJS.EventEmitter & { set(setting: "retry timeout", ms: number): void };
  on(event: string, listener: (message: unknown) => void): void;
  connect(path: string): void;
  close(): void;
}

interface Axon {
  socket(kind: "sub-emitter"): BusSocket;
}

/** A folder of PM2 7; a separate package for PM2 5 and 6. @throws {LinkFailure} PM2_LOAD_FAILED */
async function loadAxon(): Promise<Axon> {
  const folder = await pm2Folder();
  const load = createRequire(join(folder, "package.json"));
  for (const module of ["./modules/pm2-axon/index.js", "pm2-axon"]) {
    try {
      return load(module) as Axon;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "MODULE_NOT_FOUND") throw new LinkFailure("PM2_LOAD_FAILED", errorText(error));
    }
  }
  throw new LinkFailure("PM2_LOAD_FAILED", `PM2 in ${folder} has no pm2-axon.`);
}
