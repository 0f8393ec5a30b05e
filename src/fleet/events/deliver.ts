/** Each record of a node reaches the stream exactly once. */
import { join } from "node:path";
import { deliveryFile, settledTimes, readUnsent, type DeliveryProgress, type Ports } from "../../core/index.ts";
import type { FleetLink } from "../link.ts";
import { messageOf, recordOf } from "./message.ts";
import { readSent, sentText, type SentState } from "./sent.ts";

const ABSENT_MS = 60_000;
const DAY_MS = 86_400_000;
/** Covers the difference of two clocks, and the travel time of a message. */
const MARGIN_MS = 3_600_000;
/** An idle node writes its file at this interval, so that a later start need not read all logs again. */
const IDLE_MS = 600_000;
const MOST_STORED = 100_000;

export interface Delivering {
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
export function deliverEvents(delivering: Delivering): { readonly stop: () => Promise<void> } {
  const ending = new AbortController();
  const running = new Delivery(delivering, ending.signal).run();
  return {
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

type Save = (state: SentState) => Promise<void>;

class Delivery {
  readonly #options: Delivering;
  readonly #signal: AbortSignal;
  /** True once the file is known to agree with the stream. */
  #isSure = false;
  #isAway = false;
  #isFailing = false;
  #wake = new AbortController();

  constructor(options: Delivering, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    options.link.onStatus((type) => {
      if (type === "disconnect") this.#isAway = true;
      if (type !== "reconnect") return;
      this.#isAway = false;
      this.#isSure = false;
      this.#wake.abort();
    });
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      if (await this.#hasStream()) await this.#send();
      else await this.#pause(ABSENT_MS);
    }
  }

  async #hasStream(): Promise<boolean> {
    try {
      await this.#options.link.events.state();
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  async #send(): Promise<void> {
    const { ports, node } = this.#options;
    const file = deliveryFile(join(ports.workspace.root, ".svcm/fleet", `${node}.json`));
    try {
      for await (const untilMs of settledTimes(ports, this.#signal)) {
        const pass = (): Promise<boolean> =>
          file.change((text, save) => this.#pass(readSent(text), untilMs, (state) => save(sentText(state))));
        let outcome: boolean | undefined = !this.#isAway;
        while (outcome === true && !this.#signal.aborted) outcome = await this.#attempt(pass);
        if (outcome === undefined && !(await this.#hasStream())) return;
      }
    } catch (error) {
      // Aborting the signal rejects a pause.
      if (!this.#signal.aborted) throw error;
    }
  }

  /** @returns true if more records are waiting */
  async #pass(kept: SentState | undefined, untilMs: number, save: Save): Promise<boolean> {
    const agreed = this.#isSure && kept !== undefined ? kept : await this.#agreed(kept, untilMs);
    const state = await this.#emptied(agreed, save);
    const { records, after, hasMore } = await readUnsent(this.#options.ports, state.given, untilMs, this.#signal);
    const isIdle = records.length === 0 && kept !== undefined && untilMs - state.given.untilMs < IDLE_MS;
    if (!isIdle) {
      const next = { given: after, pending: records, lastSeq: state.lastSeq };
      await save(next);
      await this.#emptied(next, save);
    }
    this.#isSure = true;
    return hasMore;
  }

  /** Drops pending messages that are already in the stream. */
  async #agreed(kept: SentState | undefined, untilMs: number): Promise<SentState> {
    const { link, node } = this.#options;
    const last = await link.events.last(node);
    const lastSeq = last?.seq ?? 0;
    if (kept !== undefined) {
      const id = last && recordOf(last)?.id;
      const arrived = kept.pending.findIndex((record) => record.id === id) + 1;
      // Without a message, the stream is new or has dropped the node's messages.
      if (arrived > 0 || last === undefined || lastSeq === kept.lastSeq)
        return { given: kept.given, pending: kept.pending.slice(arrived), lastSeq };
    }
    const first = Math.min(kept?.given.untilMs ?? untilMs, untilMs - DAY_MS);
    const given: DeliveryProgress = { untilMs: first, ids: last === undefined ? [] : await this.#storedIds(first) };
    return { given, pending: [], lastSeq };
  }

  /** Needed if the node's file is lost or older than the stream. */
  async #storedIds(sinceMs: number): Promise<string[]> {
    const { link, node, aheadMs } = this.#options;
    const wanted = { node, sinceMs: sinceMs - (await aheadMs()) - MARGIN_MS, most: MOST_STORED, isFollowed: false };
    const ids: string[] = [];
    for await (const stored of link.events.read(wanted, this.#signal)) ids.push(recordOf(stored)?.id ?? "");
    return ids;
  }

  async #emptied(state: SentState, save: Save): Promise<SentState> {
    if (state.pending.length === 0) return state;
    const { link, node } = this.#options;
    const aheadMs = await this.#options.aheadMs();
    let { lastSeq } = state;
    for (const record of state.pending)
      lastSeq = await link.events.append(node, record.id, messageOf(record, aheadMs, link.maxBytes), lastSeq);
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
      this.#failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    this.#isSure = false;
    if (this.#signal.aborted) return;
    if (!this.#isFailing) this.#options.onChange(error);
    this.#isFailing = true;
  }

  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    const signal = AbortSignal.any([this.#signal, this.#wake.signal]);
    await this.#options.ports.clock.pause(ms, signal).catch(() => undefined);
  }
}
