import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Sample } from "../../../src/core/index.ts";
import { countingPorts, runningRecord, type CountingPorts } from "../../support/counting-ports.ts";
import { pass, watch, type Watcher } from "../../support/watcher.ts";

describe("the ecosystem file", () => {
  function write(world: CountingPorts, text: string, name = "ecosystem.dev.config.cjs"): void {
    mkdirSync(join(world.root, "pm2"), { recursive: true });
    writeFileSync(join(world.root, "pm2", name), text);
  }

  const ecosystemOf = (sample: Sample | undefined) =>
    sample?.kind === "metrics" ? sample.payload.ecosystem : undefined;

  async function seen(world: CountingPorts, { samples }: Watcher, name: string): Promise<void> {
    const isSeen = (): boolean => ecosystemOf(samples.at(-1))?.missingExpected.includes(name) === true;
    while (!isSeen()) await pass(world, 1000, 500);
  }

  test("an ecosystem file is run again only if it or a required module changes", async () => {
    const world = countingPorts();
    let runs = 0;
    const load = world.ports.ecosystems.load.bind(world.ports.ecosystems);
    Object.assign(world.ports.ecosystems, { load: (path: string) => load(path).finally(() => (runs += 1)) });
    write(world, "exports.name = 'first';", "nested.cjs");
    write(world, "module.exports = { apps: [{ name: require('./nested.cjs').name, script: 'a.js' }] };");
    const watcher = await watch(world);
    await seen(world, watcher, "first");
    await pass(world, 60_000, 1000);
    const before = runs;
    await pass(world, 60_000, 1000);
    expect(runs).toBe(before);
    write(world, "exports.name = 'second';", "nested.cjs");
    await seen(world, watcher, "second");
    write(world, "module.exports = { apps: [{ name: 'third', script: 'a.js' }] };");
    await seen(world, watcher, "third");
    expect(ecosystemOf(watcher.samples.at(-1))).toMatchObject({ unexpected: ["api"], expectedProcessCount: 1 });
  });

  test("without an ecosystem file, nothing is compared", async () => {
    const [sample] = (await watch(countingPorts(), { environment: "ci" })).samples;
    expect(ecosystemOf(sample)).toMatchObject({ exists: false, expectedProcessCount: 0, unexpected: [], drift: [] });
  });

  test("a broken ecosystem file is reported, and metrics are still sampled", async () => {
    const world = countingPorts();
    write(world, "module.exports = {");
    const [sample] = (await watch(world)).samples;
    expect(ecosystemOf(sample)).toMatchObject({
      exists: true,
      expectedProcessCount: null,
      drift: [],
      code: "ECOSYSTEM_FILE_SYNTAX",
    });
    expect(sample).toMatchObject({ kind: "metrics", payload: { summary: { processCount: 1 } } });
  });
});

describe("async contexts", () => {
  const withPort = { httpPort: 4000 };

  test("async contexts are scraped on request, once for processes that share a port", async () => {
    const world = countingPorts();
    world.records = [
      runningRecord(withPort),
      runningRecord({ ...withPort, pmId: 1, pid: 4712 }),
      runningRecord({ pmId: 2, pid: 4713 }),
    ];
    await watch(world);
    await pass(world, 3000, 500);
    expect(world.counts.scraped).toBe(0);
    const { samples } = await watch(world, { asyncContext: true });
    const newest = (): Extract<Sample, { kind: "metrics" }>["payload"] | undefined => {
      const sample = samples.at(-1);
      return sample?.kind === "metrics" ? sample.payload : undefined;
    };
    // The files of known secrets are read from the disk before a context is shown.
    while (newest()?.summary.asyncContextActiveSum !== 2) await pass(world, 500, 500);
    const processes = newest();
    expect(processes?.processes.map(({ asyncContext }) => asyncContext)).toEqual([
      { active: 2, recentStores: [] },
      null,
      null,
    ]);
    expect(processes?.summary.asyncContextActiveSum).toBe(2);
  });

  test("async contexts show no secret of an env file under any key", async () => {
    const world = countingPorts();
    mkdirSync(world.ports.workspace.configDir, { recursive: true });
    writeFileSync(join(world.ports.workspace.configDir, ".env.dev"), "SVC_REDIS_PASSWORD=Canary-7Qz-of-a-file\n");
    world.records = [runningRecord(withPort)];
    const body = { active: 1, "Canary-7Qz-of-a-file": 2, recentStores: [{ note: "it is Canary-7Qz-of-a-file" }] };
    world.scrape = () => Promise.resolve({ kind: "answer", status: 200, text: JSON.stringify(body) });
    const { samples } = await watch(world, { asyncContext: true });
    const isShown = (): boolean => JSON.stringify(samples).includes('"recentStores":[{');
    while (!isShown()) await pass(world, 1000, 500);
    expect(JSON.stringify(samples)).toContain('"recentStores":[{"note":"it is [REDACTED]"}]');
    expect(JSON.stringify(samples)).not.toContain("Canary-7Qz");
  });

  test("a process that does not answer delays no sample and has at most one request at a time", async () => {
    const world = countingPorts();
    world.records = [runningRecord(withPort)];
    world.scrape = () => new Promise(() => undefined);
    const { samples } = await watch(world, { asyncContext: true, intervalMs: 500 });
    await pass(world, 4000, 500);
    expect(samples.length).toBe(9);
    expect(world.counts.scraped).toBe(1);
  });
});
