import { connect } from "node:net";
import type { ProcessName } from "../port-processes.ts";
import { errorCode } from "../../words/thrown.ts";
import { pm2Home } from "../../project/workspace.node.ts";
import { readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { readIfReadable } from "../../files/system.ts";
import { suspendedDaemon } from "./proc.ts";

/**
 * `undefined` if PM2 does not respond in time, and at once if it is suspended. Without a worker: completion must not keep a
 * user waiting.
 */
export async function callDaemon(
  path: string,
  method: "getMonitorData" | "getVersion" | "getReport" | "reloadLogs",
  waitMs: number,
): Promise<unknown> {
  if (suspendedDaemon(dirname(path)) !== undefined) return undefined;
  const socket = connect(path, () => socket.write(encodeRequest("0", method, [{}])));
  return await new Promise((resolve) => {
    const reader = new AnswerReader();
    const end = (value?: unknown): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(value);
    };
    const timer = setTimeout(end, waitMs);
    socket.once("error", () => end());
    socket.once("close", () => end());
    socket.on("data", (chunk) => {
      try {
        for (const { value } of reader.add(chunk)) end(value);
      } catch {
        end();
      }
    });
  });
}

/** Returns the system's error code, if any. A suspended daemon still listens. */
export function probeSocket(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const attempt = connect(socket);
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(undefined);
    });
    attempt.once("error", (error) => {
      attempt.destroy();
      resolve(errorCode(error));
    });
  });
}

const NAMES_TIMEOUT_MS = 400;

export async function listPm2Names(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<ProcessName[]> {
  const list = await callDaemon(pm2Home(env, cwd).socket, "getMonitorData", NAMES_TIMEOUT_MS);
  return Array.isArray(list) ? list.flatMap(parseName) : [];
}

function parseName(item: unknown): ProcessName[] {
  const { name, pm_id: pmId, pm2_env: env } = item as Record<string, unknown>;
  const { status, namespace, pmx_module: isModule } = (env ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || typeof pmId !== "number" || isModule) return [];
  return [
    {
      name,
      pmId,
      status: typeof status === "string" ? status : "unknown",
      namespace: typeof namespace === "string" ? namespace : "default",
    },
  ];
}

const ZONES = "/zoneinfo/";

/** `TZ` of the daemon; `undefined` if it uses the zone of the machine, or if its environment cannot be read. */
export function readDaemonZone(home: string): string | undefined {
  return readEnvironment(home)
    .find((variable) => variable.startsWith("TZ="))
    ?.slice("TZ=".length);
}

/**
 * The zone in which the daemon writes times; `undefined` if it is that of this process, or not known.
 * @param own `TZ` of this process
 */
export function otherZone(home: string, own = process.env["TZ"]): string | undefined {
  const zone = readDaemonZone(home);
  if (zone === own || readEnvironment(home).length < 2) return undefined;
  return zone ?? machineZone();
}

function readEnvironment(home: string): string[] {
  const pid = readIfReadable(join(home, "pm2.pid")).trim();
  return readIfReadable(`/proc/${pid}/environ`).split("\0");
}

function machineZone(): string | undefined {
  try {
    const [, zone] = readlinkSync("/etc/localtime").split(ZONES);
    return zone;
  } catch {
    return "UTC";
  }
}

/** Version 1 of the AMP protocol. */
const VERSION = 0x10;
const LENGTH_BYTES = 4;
const JSON_MARK = "j:";
const TEXT_MARK = "s:";

export interface Answer {
  readonly id: string;
  readonly value?: unknown;
  readonly error?: unknown;
}

export function encodeRequest(id: string, method: string, args: readonly unknown[]): Buffer {
  const texts = [`${JSON_MARK}${JSON.stringify({ type: "call", method, args })}`, `${TEXT_MARK}${id}`];
  const parts = texts.flatMap((text) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(Buffer.byteLength(text));
    return [length, Buffer.from(text)];
  });
  return Buffer.concat([Buffer.of(VERSION + texts.length), ...parts]);
}

/** A list of ten thousand processes is 40 MB. */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

export class AnswerReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = 1;

  /** @throws {AnswerTooLargeError} before the whole response has arrived; an error if the bytes are not a response */
  add(chunk: Buffer): Answer[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const answers: Answer[] = [];
    while (this.#size >= this.#needed) {
      const bytes = this.#join();
      const { parts, end } = splitParts(bytes);
      if (end > MAX_ANSWER_BYTES) throw new AnswerTooLargeError();
      if (parts === undefined) this.#needed = end;
      else {
        answers.push(decodeAnswer(parts));
        this.#startNext(bytes.subarray(end));
      }
    }
    return answers;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }

  #startNext(rest: Buffer): void {
    // A copy, because a slice would keep the memory of the whole list.
    this.#chunks = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#size = rest.length;
    this.#needed = 1;
  }
}

/** If the message is incomplete, `end` is the number of bytes that are needed next. */
function splitParts(bytes: Buffer): { readonly parts?: readonly Buffer[]; readonly end: number } {
  const count = (bytes[0] ?? 0) & 0x0f;
  const parts: Buffer[] = [];
  let at = 1;
  while (parts.length < count) {
    if (bytes.length < at + LENGTH_BYTES) return { end: at + LENGTH_BYTES };
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
    if (bytes.length < end) return { end };
    parts.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return { parts, end: at };
}

function decodeAnswer([body, number]: readonly Buffer[]): Answer {
  const text = body?.toString("utf8", JSON_MARK.length) ?? "";
  const { args, error } = JSON.parse(text) as { readonly args?: readonly unknown[]; readonly error?: unknown };
  const id = number?.toString("utf8", TEXT_MARK.length) ?? "";
  return error === undefined ? { id, value: args?.[0] } : { id, error };
}
