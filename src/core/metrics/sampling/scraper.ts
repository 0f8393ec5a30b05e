import type { AsyncContextMetrics } from "../../api/metrics.ts";
import { createScrub, type Scrub } from "../../pm2/scrub.ts";
import type { Ports } from "../../ports/index.ts";
import { REDACTED } from "../../secrets/redact.ts";
import type { AsyncContextResult, AsyncContextClient } from "../../ports/probes.ts";
import { asyncContextMetrics } from "../async-context-metrics.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { readSecrets } from "../../pm2/ecosystem-file.ts";

/**
 * If several processes share a port, the first one gets the result. While a process is slow, its last response is used.
 */
export class Scraper {
  readonly #world: Ports;
  #client: AsyncContextClient | undefined;
  readonly #asking = new Map<number, Promise<void>>();
  #answers = new Map<number, AsyncContextMetrics>();

  constructor(world: Ports) {
    this.#world = world;
  }

  async ask(records: readonly ProcessRecord[]): Promise<void> {
    const targets = targetsOf(records);
    const tcpPorts = new Set(targets.values());
    this.#answers = new Map([...this.#answers].filter(([port]) => tcpPorts.has(port)));
    await Promise.all([...tcpPorts].map((port) => this.#askOne(port)));
  }

  answers(records: readonly ProcessRecord[]): (pmId: number) => AsyncContextMetrics {
    const targets = targetsOf(records);
    return (pmId) => {
      const port = targets.get(pmId);
      return port === undefined ? null : (this.#answers.get(port) ?? null);
    };
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#answers.clear();
    await client?.close();
  }

  #askOne(port: number): Promise<void> {
    const asking = this.#asking.get(port) ?? this.#get(port).finally(() => this.#asking.delete(port));
    this.#asking.set(port, asking);
    return asking;
  }

  async #get(port: number): Promise<void> {
    const client = (this.#client ??= this.#world.asyncContext.open());
    const answer = await client.get(port);
    const metrics = asyncContextMetrics(answer, await scrubFor(this.#world, textsOf(answer)));
    if (this.#client === client) this.#answers.set(port, metrics);
  }
}

function textsOf(answer: AsyncContextResult): string[] {
  const texts = new Set<string>();
  asyncContextMetrics(answer, (text) => {
    texts.add(text);
    return text;
  });
  return [...texts];
}

/** If the secrets cannot be read, it hides every text. */
async function scrubFor(ports: Ports, texts: readonly string[]): Promise<Scrub> {
  if (texts.length === 0) return () => REDACTED;
  try {
    const scrub = createScrub(await readSecrets(ports, await ports.facts.runtimeContract()));
    const scrubbed = await ports.processes.scrub(texts);
    const shown = new Map(texts.map((text, at) => [text, scrub(scrubbed[at] ?? REDACTED)]));
    return (text) => shown.get(text) ?? REDACTED;
  } catch {
    return () => REDACTED;
  }
}

function targetsOf(records: readonly ProcessRecord[]): Map<number, number> {
  const taken = new Set<number>();
  const targets = new Map<number, number>();
  for (const { pmId, status, httpPort } of records.toSorted((a, b) => a.pmId - b.pmId)) {
    if (httpPort === null || status !== "online" || taken.has(httpPort)) continue;
    taken.add(httpPort);
    targets.set(pmId, httpPort);
  }
  return targets;
}
