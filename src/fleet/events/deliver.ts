/** Each record of a node reaches the stream exactly once. */
import { join } from "node:path";
import * as z from "zod/mini";
import {
  deliveryFile,
  type DeliveryProgress,
  type NodeRecord,
  type Ports,
  readUnsent,
  settledTimes,
} from "../../core/index.ts";
import type { FleetLink } from "../link.ts";
import { decodeRecord, encodeRecord } from "./list.ts";

/** `pending` may not have reached the stream completely; it is kept until the server has acknowledged everything. */
interface DeliveryState {
  readonly given: DeliveryProgress;
  readonly pending: readonly NodeRecord[];
  /** 0 if the stream has no message of the node. */
  readonly lastSeq: number;
}

const schema = z.object({
  version: z.literal(1),
  given: z.object({ untilMs: z.number(), ids: z.array(z.string()) }),
  pending: z.array(z.custom<NodeRecord>((record) => typeof record === "object" && record !== null && "id" in record)),
  lastSeq: z.int(),
});

/** @returns `undefined` for a missing or damaged file */
function parseDeliveryState(text: string | undefined): DeliveryState | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function renderDeliveryState({ given, pending, lastSeq }: DeliveryState): string {
  return `${JSON.stringify({ version: 1, given, pending, lastSeq })}\n`;
}

const STREAM_CHECK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Covers the difference of two clocks, and the travel time of a message. */
const CLOCK_MARGIN_MS = 3_600_000;
/** An idle node writes its file at this interval, so that a later start need not read all logs again. */
const IDLE_SAVE_MS = 600_000;
const MAX_STORED = 100_000;

export interface DeliveryOptions {
  readonly node: string;
  readonly ports: Ports;
  readonly link: FleetLink;
  /** Milliseconds by which the clock of this machine is ahead of the server's. */
  readonly aheadMs: () => Promise<number>;
  /** Called with an error when records have to wait, and without one when they are sent again. */
  readonly onChange: (error: unknown) => void;
}

/**
 * Reads nothing while the server has no stream.
 *
 * A batch is written to the node's file before its first message is sent. Each message contains the number of the
 * node's previous message, so the server refuses a repeated one. After an interruption, the newest message in the
 * stream shows which messages of the batch have arrived.
 */
export function deliverEvents(delivering: DeliveryOptions): { readonly stop: () => Promise<void> } {
  const ending = new AbortController();
  const running = new Delivery(delivering, ending.signal).run();
  return {
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

type Save = (state: DeliveryState) => Promise<void>;

class Delivery {
  readonly #options: DeliveryOptions;
  readonly #signal: AbortSignal;
  #isSynced = false;
  #isDisconnected = false;
  #isFailing = false;
  #wake = new AbortController();

  constructor(options: DeliveryOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    options.link.onStatus((type) => {
      if (type === "disconnect") this.#isDisconnected = true;
      if (type !== "reconnect") return;
      this.#isDisconnected = false;
      this.#isSynced = false;
      this.#wake.abort();
    });
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      if (await this.#hasStream()) await this.#deliver();
      else await this.#pause(STREAM_CHECK_MS);
    }
  }

  async #hasStream(): Promise<boolean> {
    try {
      await this.#options.link.events.state();
      return true;
    } catch (error) {
      this.#handleFailure(error);
      return false;
    }
  }

  async #deliver(): Promise<void> {
    const { ports, node } = this.#options;
    const file = deliveryFile(join(ports.workspace.stateFolder, "fleet", `${node}.json`));
    try {
      for await (const untilMs of settledTimes(ports, this.#signal)) {
        const deliverBatch = (): Promise<boolean> =>
          file.change((text, save) =>
            this.#deliverBatch(parseDeliveryState(text), untilMs, (state) => save(renderDeliveryState(state))),
          );
        let outcome: boolean | undefined = !this.#isDisconnected;
        while (outcome === true && !this.#signal.aborted) outcome = await this.#attempt(deliverBatch);
        if (outcome === undefined && !(await this.#hasStream())) return;
      }
    } catch (error) {
      // Aborting the signal rejects a pause.
      if (!this.#signal.aborted) throw error;
    }
  }

  async #deliverBatch(saved: DeliveryState | undefined, untilMs: number, save: Save): Promise<boolean> {
    const agreed = this.#isSynced && saved !== undefined ? saved : await this.#synchronise(saved, untilMs);
    const state = await this.#sendPending(agreed, save);
    const { records, after, hasMore } = await readUnsent(this.#options.ports, state.given, untilMs, this.#signal);
    const isIdle = records.length === 0 && saved !== undefined && untilMs - state.given.untilMs < IDLE_SAVE_MS;
    if (!isIdle) {
      const next = { given: after, pending: records, lastSeq: state.lastSeq };
      await save(next);
      await this.#sendPending(next, save);
    }
    this.#isSynced = true;
    return hasMore;
  }

  /** Drops pending messages that are already in the stream. */
  async #synchronise(saved: DeliveryState | undefined, untilMs: number): Promise<DeliveryState> {
    const { link, node } = this.#options;
    const last = await link.events.last(node);
    const lastSeq = last?.seq ?? 0;
    if (saved !== undefined) {
      const id = last && decodeRecord(last)?.id;
      const arrived = saved.pending.findIndex((record) => record.id === id) + 1;
      // Without a message, the stream is new or has dropped the node's messages.
      if (arrived > 0 || last === undefined || lastSeq === saved.lastSeq)
        return { given: saved.given, pending: saved.pending.slice(arrived), lastSeq };
    }
    const first = Math.min(saved?.given.untilMs ?? untilMs, untilMs - DAY_MS);
    const given: DeliveryProgress = { untilMs: first, ids: last === undefined ? [] : await this.#listStoredIds(first) };
    return { given, pending: [], lastSeq };
  }

  /** Needed if the node's file is lost or older than the stream. */
  async #listStoredIds(sinceMs: number): Promise<string[]> {
    const { link, node, aheadMs } = this.#options;
    const request = {
      node,
      sinceMs: sinceMs - (await aheadMs()) - CLOCK_MARGIN_MS,
      limit: MAX_STORED,
      isFollowed: false,
    };
    const ids: string[] = [];
    for await (const stored of link.events.read(request, this.#signal)) ids.push(decodeRecord(stored)?.id ?? "");
    return ids;
  }

  async #sendPending(state: DeliveryState, save: Save): Promise<DeliveryState> {
    if (state.pending.length === 0) return state;
    const { link, node } = this.#options;
    const aheadMs = await this.#options.aheadMs();
    let { lastSeq } = state;
    for (const record of state.pending)
      lastSeq = await link.events.append(node, encodeRecord(record, aheadMs), lastSeq);
    const sent = { given: state.given, pending: [], lastSeq };
    await save(sent);
    return sent;
  }

  /** `undefined` after a failure; the attempt is repeated later. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      if (this.#isFailing) this.#options.onChange(undefined);
      this.#isFailing = false;
      return result;
    } catch (error) {
      this.#handleFailure(error);
      return undefined;
    }
  }

  #handleFailure(error: unknown): void {
    this.#isSynced = false;
    if (this.#signal.aborted) return;
    if (!this.#isFailing) this.#options.onChange(error);
    this.#isFailing = true;
  }

  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    const signal = AbortSignal.any([this.#signal, this.#wake.signal]);
    await this.#options.ports.clock.sleep(ms, signal).catch(() => undefined);
  }
}
