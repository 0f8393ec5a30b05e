/** PM2's bus, on which it publishes what its processes report and write, wherever their logs go. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { WrittenErrors } from "../../port-processes.ts";
import { errorText, LinkFailure } from "../failure.ts";
import { pm2Folder } from "./pm2-api.ts";
import { fieldsOf } from "./process-record.ts";

/** By process id; undefined if the bus was lost. */
export interface BusListener {
  /** In milliseconds since 1970. */
  readonly readyAt: () => ReadonlyMap<number, number> | undefined;
  readonly writtenBy: (pmId: number) => WrittenErrors | undefined;
  readonly close: () => void;
}

export async function listenToBus(path: string): Promise<BusListener> {
  const axon = await loadAxon();
  const bus = axon.socket("sub-emitter");
  const readyAtMs = new Map<number, number>();
  const written = new Map<number, Written>();
  let isLost = false;
  // A reconnect could miss a message.
  bus.sock.set("retry timeout", 0);
  bus.on("process:msg", (packet) => {
    const { raw } = fieldsOf(packet);
    const { pmId, atMs } = originOf(packet) ?? {};
    if (raw === "ready" && pmId !== undefined && atMs !== undefined) readyAtMs.set(pmId, atMs);
  });
  for (const stream of ["err", "out"] as const)
    bus.on(`log:${stream}`, (packet) => {
      const { pmId, atMs } = originOf(packet) ?? {};
      if (pmId === undefined || atMs === undefined) return;
      const before = written.get(pmId) ?? NOTHING;
      const text = (before.text + String(fieldsOf(packet)["data"])).slice(-MAX_LENGTH);
      written.set(pmId, stream === "err" ? { ...before, text, writtenMs: atMs } : { ...before, outputMs: atMs });
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
  return {
    readyAt: () => (isLost ? undefined : readyAtMs),
    writtenBy: (pmId) => (isLost ? undefined : toWrittenErrors(written.get(pmId))),
    close: () => bus.close(),
  };
}

/** Of standard error. */
const MAX_LENGTH = 64 * 1024;

interface Written extends Omit<WrittenErrors, "lines"> {
  readonly text: string;
}

const NOTHING: Written = { text: "", writtenMs: 0 };

function toWrittenErrors({ text, ...times }: Written = NOTHING): WrittenErrors {
  return { ...times, lines: text.split("\n").filter((line) => line.trim() !== "") };
}

function originOf(packet: unknown): { readonly pmId: number; readonly atMs: number } | undefined {
  const { at: atMs, process } = fieldsOf(packet);
  const { pm_id: pmId } = fieldsOf(process);
  return typeof pmId === "number" && typeof atMs === "number" ? { pmId, atMs } : undefined;
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
