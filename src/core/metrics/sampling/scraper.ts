import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { AsyncContextResult, AsyncContextClient, HasAsyncContext } from "../telemetry.ts";
import type { AsyncContextMetrics } from "../../api/metrics.ts";
import { createScrub, type Scrub } from "../../pm2/scrub.ts";

import { REDACTED } from "../../secrets/redact.ts";

import { asyncContextMetrics } from "../async-context-metrics.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { readSecrets } from "../../pm2/ecosystem-file.ts";

/**
 * If several processes share a port, the first one gets the result. While a process is slow, its last response is used.
 */
export class Scraper {
  readonly #ports: Repository & HasAsyncContext & HasProcesses;
  #client: AsyncContextClient | undefined;
  readonly #pending = new Map<number, Promise<void>>();
  #results = new Map<number, AsyncContextMetrics>();

  constructor(ports: Repository & HasAsyncContext & HasProcesses) {
    this.#ports = ports;
  }

  async scrape(records: readonly ProcessRecord[]): Promise<void> {
    const targets = findTargets(records);
    const tcpPorts = new Set(targets.values());
    this.#results = new Map([...this.#results].filter(([port]) => tcpPorts.has(port)));
    await Promise.all([...tcpPorts].map((port) => this.#scrapePort(port)));
  }

  resultsFor(records: readonly ProcessRecord[]): (pmId: number) => AsyncContextMetrics {
    const targets = findTargets(records);
    return (pmId) => {
      const port = targets.get(pmId);
      return port === undefined ? null : (this.#results.get(port) ?? null);
    };
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#results.clear();
    await client?.close();
  }

  #scrapePort(port: number): Promise<void> {
    const request = this.#pending.get(port) ?? this.#get(port).finally(() => this.#pending.delete(port));
    this.#pending.set(port, request);
    return request;
  }

  async #get(port: number): Promise<void> {
    const client = (this.#client ??= this.#ports.asyncContext.open());
    const answer = await client.get(port);
    const metrics = asyncContextMetrics(answer, await readScrub(this.#ports, collectTexts(answer)));
    if (this.#client === client) this.#results.set(port, metrics);
  }
}

function collectTexts(answer: AsyncContextResult): string[] {
  const texts = new Set<string>();
  asyncContextMetrics(answer, (text) => {
    texts.add(text);
    return text;
  });
  return [...texts];
}

/** If the secrets cannot be read, it hides every text. */
async function readScrub(ports: Repository & HasProcesses, texts: readonly string[]): Promise<Scrub> {
  if (texts.length === 0) return () => REDACTED;
  try {
    const scrub = createScrub(await readSecrets(ports, await ports.facts.runtimeContract()));
    const scrubbed = await ports.processes.scrub(texts);
    const scrubbedTexts = new Map(texts.map((text, at) => [text, scrub(scrubbed[at] ?? REDACTED)]));
    return (text) => scrubbedTexts.get(text) ?? REDACTED;
  } catch {
    return () => REDACTED;
  }
}

function findTargets(records: readonly ProcessRecord[]): Map<number, number> {
  const usedPorts = new Set<number>();
  const targets = new Map<number, number>();
  for (const { pmId, status, httpPort } of records.toSorted((a, b) => a.pmId - b.pmId)) {
    if (httpPort === null || status !== "online" || usedPorts.has(httpPort)) continue;
    usedPorts.add(httpPort);
    targets.set(pmId, httpPort);
  }
  return targets;
}
