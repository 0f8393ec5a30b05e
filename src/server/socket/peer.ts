import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ServerFrame } from "../../core/api/frames.ts";
import { MIN_COMPRESSED_BYTES, toJson } from "../response.ts";
import type { Limits } from "../limits.ts";
import { constants, deflateRawSync } from "node:zlib";
import {
  type Caller,
  describeError,
  type EventFeed,
  type EventFilter,
  execute,
  failureCode,
  historyShow,
  type Ports,
  type Sample,
  SvcmError,
  type Telemetry,
} from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import type { ServerLog } from "../log.ts";
import { changesBetween } from "./changes.ts";

export const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
} as const;

/**
 * Responses are always sent; samples are only offered: a client that has not read the earlier ones gets no more,
 * so nothing queues up.
 *
 * The kernel buffers megabytes, which are minutes of samples, before `bufferedAmount` grows. Therefore a ping follows
 * every few samples, and its pong shows that they were read.
 */
export class Peer {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #limits: Limits;
  /** Samples sent before the pending ping, and after it. */
  #sentBeforePing = 0;
  #sentSincePing = 0;
  #pingedAt: number | undefined;

  constructor(socket: WebSocket, connection: Duplex, limits: Limits) {
    this.#socket = socket;
    this.#connection = connection;
    this.#limits = limits;
    socket.on("pong", () => {
      this.#sentBeforePing = 0;
      this.#pingedAt = undefined;
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Disconnects a client that sends requests without reading the responses. */
  send(frame: ServerFrame): void {
    if (!this.isOpen) return;
    if (this.#socket.bufferedAmount > this.#limits.maxUnsentBytes) this.#socket.terminate();
    else this.#sendShared(new SharedMessage(toJson(frame)));
  }

  /** Returns false if the client has not read the earlier samples. */
  offer(messages: readonly SharedMessage[]): boolean {
    if (!this.isOpen || this.#socket.bufferedAmount > 0) return false;
    if (this.#sentBeforePing + this.#sentSincePing >= this.#limits.maxUnreadSamples) return false;
    for (const message of messages) this.#sendShared(message);
    this.#sentSincePing += 1;
    if (this.#pingedAt === undefined && this.#sentSincePing * 2 >= this.#limits.maxUnreadSamples) this.#ping();
    return true;
  }

  /** Disconnects clients that left a ping unanswered for too long. */
  checkHeartbeat(): void {
    if (this.#pingedAt === undefined) this.#ping();
    else if (performance.now() - this.#pingedAt >= this.#limits.pongTimeoutMs) this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Bypasses the library, which compresses nothing, so the order is preserved. */
  #sendShared(message: SharedMessage): void {
    const isCompressed = message.isWorthCompressing && this.#socket.extensions.includes("permessage-deflate");
    if (isCompressed) this.#connection.write(message.compressed);
    else this.#socket.send(message.plain, { binary: false, compress: false });
  }

  #ping(): void {
    if (!this.isOpen) return;
    this.#pingedAt = performance.now();
    this.#sentBeforePing += this.#sentSincePing;
    this.#sentSincePing = 0;
    this.#socket.ping();
  }
}

/** Large enough for repeated process records, and small enough for clients with little memory. */
export const WINDOW_BITS = 12;
/** Takes 0.1 ms for a hundred processes. The best level saves another fifth but takes ten times as long. */
const LEVEL = 3;
/** A flush appends these bytes, and RFC 7692 removes them. */
const FLUSH_TAIL_BYTES = 4;
const COMPRESSED_TEXT = 0xc1;

/**
 * Without context takeover, the compressed bytes are the same for all clients; a library would compress once per
 * client.
 */
export class SharedMessage {
  readonly plain: Buffer;
  #compressed: Buffer | undefined;

  constructor(text: string) {
    this.plain = Buffer.from(text);
  }

  get isWorthCompressing(): boolean {
    return this.plain.length > MIN_COMPRESSED_BYTES;
  }

  /** A complete frame as in RFC 7692, for clients that negotiated permessage-deflate with this window. */
  get compressed(): Buffer {
    return (this.#compressed ??= encodeFrame(deflate(this.plain)));
  }
}

function deflate(bytes: Buffer): Buffer {
  const options = { windowBits: WINDOW_BITS, level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH };
  const deflated = deflateRawSync(bytes, options);
  return deflated.subarray(0, deflated.length - FLUSH_TAIL_BYTES);
}

function encodeFrame(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([COMPRESSED_TEXT]), encodeLength(payload.length), payload]);
}

/** 7 bits, or 126 and 16 bits, or 127 and 64 bits. A server does not mask. */
function encodeLength(length: number): Buffer {
  if (length < 126) return Buffer.from([length]);
  if (length < 65_536) return Buffer.from([126, length >> 8, length & 255]);
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(127);
  bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

export interface MetricsSubscription {
  readonly environment: string;
  readonly service?: string | undefined;
  readonly intervalMs: number;
  readonly asyncContext: boolean;
  readonly history: boolean;
  /** A sample may be sent as its difference from the one before it. */
  readonly changes: boolean;
  readonly node?: string | undefined;
}

export interface StreamContext {
  readonly telemetry: Telemetry;
  readonly eventFeed: EventFeed;
  readonly sampleMessages: SampleMessages;
  readonly recordedHour: RecordedHour;
  readonly log: ServerLog;
}

/** Sends the recorded hour first, then samples. A failure becomes an error frame. */
export function streamMetrics(
  streaming: StreamContext,
  peer: Peer,
  subscription: MetricsSubscription,
  signal: AbortSignal,
): Promise<void> {
  const { telemetry, sampleMessages, recordedHour } = streaming;
  return reportErrors(streaming, peer, async () => {
    const recorded = subscription.history ? await recordedHour() : undefined;
    if (recorded !== undefined && !signal.aborted) peer.offer([recorded]);
    let last: Sample | undefined;
    for await (const sample of telemetry.watch(subscription, signal)) {
      if (signal.aborted) return;
      const wasSent = peer.offer(sampleMessages(sample, subscription.changes ? last : undefined));
      if (wasSent) last = sample;
    }
  });
}

export function streamEvents(
  streaming: StreamContext,
  peer: Peer,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<void> {
  return reportErrors(streaming, peer, async () => {
    for await (const event of streaming.eventFeed.watch(signal, filter)) {
      if (!signal.aborted) peer.send({ type: "event", event });
    }
  });
}

export async function reportErrors(
  { log }: Pick<StreamContext, "log">,
  peer: Peer,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { body } = describeError(error);
    if (!(error instanceof SvcmError)) log.error({ stack: errorStack(error) }, "stream failed");
    peer.send({ type: "error", code: failureCode(error), details: body.details ?? body.error });
  }
}

type SampleMessages = (sample: Sample, before?: Sample) => readonly SharedMessage[];

/** Serialises and compresses each sample, and each difference of two samples, once for all clients. */
export function createSampleMessages(): SampleMessages {
  const whole = remember((sample: Sample) => toMessages(toFrames(sample)));
  const differences = remember((sample: Sample) =>
    remember((before: Sample) => {
      const frame = difference(before, sample);
      return frame === undefined ? whole(sample) : toMessages([frame]);
    }),
  );
  return (sample, before) => (before === undefined ? whole(sample) : differences(sample)(before));
}

function remember<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

function toMessages(frames: readonly ServerFrame[]): SharedMessage[] {
  return frames.map((frame) => new SharedMessage(toJson(frame)));
}

function difference(before: Sample, now: Sample): ServerFrame | undefined {
  if (before.kind !== "metrics" || now.kind !== "metrics") return undefined;
  return changesBetween(before.payload, now.payload);
}

function toFrames(sample: Sample): ServerFrame[] {
  if (sample.kind === "metrics") return [{ type: "metrics", payload: sample.payload }];
  const { payload, error } = sample;
  return [
    { type: "host", payload },
    { type: "error", ...error },
  ];
}

type RecordedHour = () => Promise<SharedMessage | undefined>;

const SERIES = "host,*:cpuPercent,*:memoryBytes";
/** One value for each 20 seconds. */
const POINTS = 180;
/** The recorder adds a step at this interval. */
const CACHE_MS = 10_000;

/** The session has already checked that the client may read. */
const reader: Caller = { source: "ws", grants: ["read"] };

/** Clients that subscribe within ten seconds share the result. */
export function createRecordedHour(ports: Ports): RecordedHour {
  let last: { readonly atMs: number; readonly message: ReturnType<RecordedHour> } | undefined;
  return () => {
    const atMs = ports.clock.elapsed();
    if (last === undefined || atMs - last.atMs >= CACHE_MS) last = { atMs, message: readHour(ports) };
    return last.message;
  };
}

/** If the history cannot be read, the client gets the metrics without it. */
async function readHour(ports: Ports): ReturnType<RecordedHour> {
  try {
    const { from, step, series, gaps } = await execute(historyShow, ports, { series: SERIES, points: POINTS }, reader);
    if (series.length === 0) return undefined;
    return new SharedMessage(toJson({ type: "history", payload: { from, step, series, gaps } }));
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return undefined;
  }
}
