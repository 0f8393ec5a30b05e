/** One svcm at a time has the name of a node: each heartbeat follows the own one before it, or fails. */
import { SvcmError, type Ports } from "../core/index.ts";
import type { FleetLink } from "./link.ts";
import type { NodeEntry } from "./link-events.ts";
import { isOwnEnded, readPresence, type Presence } from "./fleet.ts";

/** Not shorter, because an idle node should cost nothing. */
export const HEARTBEAT_MS = 10_000;
/** A living node writes within this time. */
const WATCH_MS = 12_000;
const WATCH_INTERVAL_MS = 500;
/** Another svcm that still wants the name says so more often. */
const RIVAL_MS = 60_000;
/** After a slower reply, the time of the server is too uncertain. */
const MAX_ROUND_TRIP_MS = 1_000;

interface HeartbeatOptions {
  readonly link: Pick<FleetLink, "nodes" | "onStatus">;
  readonly node: string;
  readonly presence: Presence;
  readonly clock: Ports["clock"];
  readonly onAnnouncedAgain: () => void;
  readonly onFailure: (error: unknown) => void;
  /** Called with the host of another svcm that has taken the name, and without one when the name is free again. */
  readonly onDisplaced: (host: string | undefined) => void;
}

export interface Heartbeat {
  /** Milliseconds by which this clock was ahead of the server's when last measured. */
  readonly aheadMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/**
 * After a failure, the next heartbeat tries again.
 * @throws {SvcmError} START_REFUSED with NODE_NAME_TAKEN
 */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const beat = new Beat(options);
  await beat.announce(true);
  const timer = setInterval(() => void beat.announce(), HEARTBEAT_MS);
  // A restarted server may have lost the key.
  options.link.onStatus((type) => {
    if (type === "reconnect") void beat.announce().then((isDone) => isDone && options.onAnnouncedAgain());
  });
  let ahead: number | undefined;
  return {
    async aheadMs() {
      const { link, node, clock } = options;
      const before = clock.now();
      await beat.announce();
      const after = clock.now();
      const stored = await link.nodes.read(node);
      const isQuick = after >= before && after - before < MAX_ROUND_TRIP_MS;
      if (stored !== undefined && (isQuick || ahead === undefined))
        ahead = Math.round((before + after) / 2 - stored.storedAtMs);
      return ahead ?? 0;
    },
    async stop() {
      clearInterval(timer);
      await beat.leave();
    },
  };
}

class Beat {
  readonly #options: HeartbeatOptions;
  /** Of the own newest entry; `undefined` before the first one, and while another svcm has the name. */
  #seq: number | undefined;
  #isDisplaced = false;
  #rival: { readonly host: string; readonly untilMs: number } | undefined;
  /** Of the entry of another svcm, with the wish of this one. */
  #told: number | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** @returns false after a failure @throws {SvcmError} START_REFUSED, only at the start */
  announce(isStart = false): Promise<boolean> {
    const announced = this.#queue.then(async () => {
      try {
        await this.#write(isStart);
        return !this.#isDisplaced;
      } catch (error) {
        if (isStart && error instanceof SvcmError && error.kind === "START_REFUSED") throw error;
        this.#options.onFailure(error);
        return false;
      }
    });
    this.#queue = announced.catch(() => undefined);
    return announced;
  }

  async leave(): Promise<void> {
    await this.#queue;
    const { link, node, presence, onFailure } = this.#options;
    if (this.#seq === undefined) return;
    await link.nodes.put(node, JSON.stringify({ ...presence, left: true }), this.#seq).catch(onFailure);
  }

  async #write(isStart: boolean): Promise<void> {
    const { link, node } = this.#options;
    if (this.#seq !== undefined) {
      this.#seq = await link.nodes.put(node, this.#text(), this.#seq);
      if (this.#seq !== undefined) return;
    }
    const entry = isStart ? undefined : await link.nodes.read(node);
    const free = isStart ? await this.#awaitFree() : await this.#findFree(entry);
    if (free === undefined) await this.#tell(entry);
    else this.#seq = await link.nodes.put(node, this.#text(), free);
    if (this.#seq !== undefined && this.#isDisplaced) this.#setDisplaced(undefined);
  }

  #text(): string {
    const { presence, clock } = this.#options;
    const { host, untilMs = 0 } = this.#rival ?? {};
    return JSON.stringify({ ...presence, ...(clock.elapsed() < untilMs && { rival: host }) });
  }

  /** An entry that is not renewed must expire, so each is written once. */
  async #tell(entry: NodeEntry | undefined): Promise<void> {
    const other = entry === undefined || entry.seq === this.#told ? undefined : readPresence(entry.text);
    if (entry === undefined || other === undefined) return;
    const { link, node, presence } = this.#options;
    const rival = presence.run?.host ?? "another machine";
    this.#told = await link.nodes.put(node, JSON.stringify({ ...other, rival }), entry.seq);
  }

  /** The number to follow, or `undefined` while another svcm has the name. */
  async #findFree(entry: NodeEntry | undefined): Promise<number | undefined> {
    if (entry === undefined) return 0;
    const { presence: own, clock } = this.#options;
    const other = readPresence(entry.text);
    if (other === undefined || other.left) return entry.seq;
    if (other.instance === own.instance) {
      if (other.rival !== undefined) this.#rival = { host: other.rival, untilMs: clock.elapsed() + RIVAL_MS };
      return entry.seq;
    }
    if (await isOwnEnded(other, own)) return entry.seq;
    if (!this.#isDisplaced) this.#setDisplaced(other.run?.host ?? "another machine");
    return undefined;
  }

  /** A node that was killed on another machine, or lost its power, leaves an entry that is not renewed. */
  async #awaitFree(): Promise<number> {
    const { link, node, clock } = this.#options;
    const first = await link.nodes.read(node);
    const until = clock.elapsed() + WATCH_MS;
    for (let entry = first; ; entry = await link.nodes.read(node)) {
      const free = await this.#findFree(entry);
      if (free !== undefined) return free;
      if (entry?.seq !== first?.seq) {
        await this.#tell(entry).catch(() => undefined);
        throw nameTaken(node, entry);
      }
      if (clock.elapsed() >= until) return entry?.seq ?? 0;
      await clock.sleep(WATCH_INTERVAL_MS);
    }
  }

  #setDisplaced(host: string | undefined): void {
    this.#isDisplaced = host !== undefined;
    this.#options.onDisplaced(host);
  }
}

function nameTaken(node: string, entry: NodeEntry | undefined): SvcmError {
  const host = entry && readPresence(entry.text)?.run?.host;
  return new SvcmError("START_REFUSED", {
    code: "NODE_NAME_TAKEN",
    details: `Another svcm serves as ${node}${host === undefined ? "" : `, on the host ${host}`}. Accepted: one svcm for each node. Stop the other one, or choose another name of svcm.yaml with --node-name.`,
  });
}
