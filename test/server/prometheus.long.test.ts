import { describe, expect, test } from "vitest";
import { historyBody } from "../../src/core/api/history.ts";
import { connectFleet } from "../../src/fleet/index.ts";
import { testFleet } from "../fleet/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { hasPrometheus, prometheus } from "../support/prometheus.ts";
import { MIB, stepsBetween, writeHistory } from "../support/recorded.ts";
import { ask, repository, testServer, type TestServer } from "./support.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const debug = { SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "debug" };

const scraping = (more: object): object => ({ scrape_configs: [{ job_name: "svcm", scrape_interval: "1s", ...more }] });

describe.skipIf(!hasPrometheus)("a real Prometheus (needs prometheus)", () => {
  test("scrapes and parses the metrics", async () => {
    const server = await testServer({ env: debug });
    const { value } = await prometheus(scraping({ static_configs: [{ targets: [`127.0.0.1:${server.port}`] }] }));
    // The first of three scrapes has been stored when the third one is answered.
    await server.logged(/"route":"\/metrics","status":200/, 3);
    expect(await value("up")).toBe("1");
    expect(await value('svcm_build_info{version="1.2.3"}')).toBe("1");
    expect(await value("svcm_pm2_up")).toBe("0");
    expect(Number(await value("svcm_host_cpu_cores"))).toBeGreaterThan(0);
    expect(Number(await value("scrape_samples_scraped"))).toBeGreaterThan(10);
  });

  test.skipIf(!hasNats)(
    "finds the machines of a fleet, and scrapes those that are available (needs nats-server)",
    async () => {
      const fleet = await testFleet();
      await fleet.start("web-1");
      const connect = () => connectFleet(fleet.ports("vera"), fleet.variables("vera"));
      const server = await testServer({ env: debug, connectFleet: connect });
      const url = `${server.url}/api/fleet/targets`;
      const { get, value } = await prometheus(scraping({ http_sd_configs: [{ url }] }));
      await server.logged(/"route":"\/metrics","status":200/, 3);
      await server.logged(/"route":"\/metrics","status":503/, 6);
      const { data } = await get("/api/v1/targets");
      expect(data.activeTargets.map(({ labels }: { labels: unknown }) => labels)).toEqual(
        expect.arrayContaining([
          { job: "svcm", instance: "web-1", role: "web" },
          { job: "svcm", instance: "web-2", role: "web" },
          { job: "svcm", instance: "db-1", role: "db" },
        ]),
      );
      expect(await value('up{instance="web-1", role="web"}')).toBe("1");
      expect(await value('svcm_pm2_up{instance="web-1"}')).toBe("0");
      expect(await value('up{instance="db-1"}')).toBe("0");
    },
  );

  describe("answers queries of the history", () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE;

    /** Three days in steps of a minute, with a gap of six hours, of this server and of another one. */
    function past(server: string): string {
      const lines: Record<string, string[]> = {};
      const add = (name: string, labels: string, value: number, at: number): void => {
        (lines[name] ??= []).push(`${name}{job="svcm",${labels}} ${value} ${at / 1000}`);
      };
      for (let at = now - 72 * HOUR; at <= now; at += MINUTE) {
        if (at > now - 40 * HOUR && at < now - 34 * HOUR) continue;
        const mine = 'instance="web-1"';
        add("svcm_build_info", `${mine},version="1.2.3",server="${server}"`, 1, at);
        add("svcm_host_cpu_usage_ratio", mine, 0.25, at);
        add("svcm_host_memory_total_bytes", mine, 1000, at);
        add("svcm_host_memory_used_bytes", mine, 400, at);
        for (const [name, value] of [
          ["total", 1000],
          ["free", 600],
          ["available", 600],
        ] as const)
          add(`svcm_host_disk_${name}_bytes`, `${mine},path="/"`, value, at);
        const process = `${mine},name="api",pm_id="0"`;
        const isPeak = at === now - 60 * HOUR;
        add("svcm_process_cpu_usage_ratio", process, 0.5, at);
        add("svcm_process_resident_memory_bytes", process, (isPeak ? 900 : 100) * MIB, at);
        add("svcm_process_restarts_total", process, at < now - 24 * HOUR ? 3 : 4, at);
        add("svcm_process_disk_read_bytes_total", process, (at - now + 72 * HOUR) * 2, at);
        const other = 'instance="web-2"';
        add("svcm_build_info", `${other},version="1.2.3",server="another"`, 1, at);
        add("svcm_process_resident_memory_bytes", `${other},name="foreign",pm_id="0"`, 5, at);
      }
      return `${Object.values(lines).flat().join("\n")}\n# EOF\n`;
    }

    async function history(server: TestServer, query: string) {
      const { status, json } = await ask(server, `/api/history?${query}`);
      expect({ status, details: json.details }).toEqual({ status: 200, details: undefined });
      return historyBody.parse(json);
    }

    test("for ranges before the recording, only of this machine; recorded ranges come from svcm's files", async () => {
      const files = repository();
      const plain = await testServer({ repository: files });
      const { json } = await ask(plain, "/healthz");
      const { url } = await prometheus({}, past(json.server));
      const env = { SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL: `${url}/` };
      const server = await testServer({ repository: files, env });
      const threeDays = await history(server, `from=${now - 72 * HOUR}&to=${now}&points=72`);
      expect(threeDays).toMatchObject({ from: now - 72 * HOUR - ((now - 72 * HOUR) % HOUR), step: HOUR });
      const of = (name: string) => {
        const found = threeDays.series.find(({ app, metric }) => `${app}:${metric}` === name);
        return { mean: new Set(found?.mean), max: new Set(found?.max) };
      };
      expect(new Set(threeDays.series.map(({ app }) => app))).toEqual(new Set([null, "api"]));
      expect(of("null:cpuPercent").mean).toEqual(new Set([25, null]));
      expect(of("null:memoryPercent").mean).toEqual(new Set([40, null]));
      expect(of("null:diskPercent").max).toEqual(new Set([40, null]));
      expect(of("api:cpuPercent").mean).toEqual(new Set([50, null]));
      expect(of("api:restartCount").max).toEqual(new Set([3, 4, null]));
      expect([...of("api:memoryBytes").max]).toContain(900 * MIB);
      expect([...of("api:memoryBytes").mean].filter((value) => value !== null && value > 200 * MIB)).toEqual([]);
      expect([...of("api:readBytesPerSecond").mean].filter((value) => value !== null)).toContain(2000);
      const lengths = threeDays.gaps.map(([from, to]) => Math.round((to - from) / HOUR));
      expect(lengths).toEqual([expect.toBeOneOf([5, 6, 7])]);

      const before = await history(server, `series=api:memoryBytes&from=${now - 48 * HOUR}&to=${now - 24 * HOUR}`);
      expect(before.series.map(({ app, metric }) => `${app} ${metric}`)).toEqual(["api memoryBytes"]);

      writeHistory(
        files.root,
        stepsBetween(now - 2 * HOUR, now, () => 7 * MIB),
        now,
      );
      const recorded = await history(server, `series=api:memoryBytes&from=${now - HOUR}&to=${now}`);
      expect(new Set(recorded.series[0]?.mean)).toEqual(new Set([7 * MIB]));
      expect(recorded.step).toBe(10_000);
      const longer = await history(server, `series=api:memoryBytes&from=${now - 24 * HOUR}&to=${now}`);
      expect(new Set(longer.series[0]?.max)).toEqual(new Set([100 * MIB]));
    });

    test("with an error code if the address is not that of its API", async () => {
      const { url } = await prometheus({});
      const env = { SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL: `${url}/somewhere` };
      const server = await testServer({ env });
      const { status, json } = await ask(server, "/api/history");
      expect({ status, code: json.code }).toEqual({ status: 500, code: "PROMETHEUS_FAILED" });
    });
  });
});
