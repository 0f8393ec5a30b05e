/** A real Prometheus reads `/metrics`. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testServer } from "./support.ts";

const hasPrometheus = spawnSync("prometheus", ["--version"]).status === 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test.skipIf(!hasPrometheus)("Prometheus scrapes and understands the metrics (needs prometheus)", async () => {
  const server = await testServer({ env: { SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "debug" } });
  const [folder, port] = [temporaryFolder(), await freePort()];
  const jobs = [
    { job_name: "svcm", scrape_interval: "1s", static_configs: [{ targets: [`127.0.0.1:${server.port}`] }] },
  ];
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify({ scrape_configs: jobs }));
  const prometheus = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  const ended = once(prometheus, "exit");
  onTestFinished(async () => {
    prometheus.kill("SIGKILL");
    await ended;
  });
  // The first of three scrapes has been read when the third one is answered.
  await server.logged(/"route":"\/metrics","status":200/, 3);
  const value = async (query: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
    return data.result[0]?.value[1];
  };
  expect(await value("up")).toBe("1");
  expect(await value('svcm_build_info{version="1.2.3"}')).toBe("1");
  expect(await value("svcm_pm2_up")).toBe("0");
  expect(Number(await value("svcm_host_cpu_cores"))).toBeGreaterThan(0);
  expect(Number(await value("scrape_samples_scraped"))).toBeGreaterThan(10);
});
