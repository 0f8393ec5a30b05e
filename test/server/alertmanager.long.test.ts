/** The alerting rules of `docs/examples/prometheus`, from a fleet through a real Prometheus and a real Alertmanager. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { execute, nodePorts, processAct } from "../../src/core/index.ts";
import { connectFleet } from "../../src/fleet/index.ts";
import { testFleet } from "../fleet/support.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { hasNats } from "../support/nats-server.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { hasPrometheus, prometheus } from "../support/prometheus.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testServer } from "./support.ts";

/** Debian's package is named prometheus-alertmanager. */
const PROGRAM = "prometheus-alertmanager";
const hasAlertmanager = spawnSync(PROGRAM, ["--version"]).status === 0;

interface Alert {
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** A webhook that resolves `until` when it has received alerts with all the names. */
async function receiver() {
  const alerts: Alert[] = [];
  let arrived = (): void => undefined;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    alerts.push(...((await json(request)) as { readonly alerts: readonly Alert[] }).alerts);
    response.end();
    arrived();
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    until: async (isEnough: (found: readonly Alert[]) => boolean): Promise<readonly Alert[]> => {
      while (!isEnough(alerts)) await new Promise<void>((resolve) => (arrived = resolve));
      return alerts;
    },
  };
}

async function alertmanager(webhook: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const route = { receiver: "team", group_by: ["..."], group_wait: "0s", group_interval: "1s", repeat_interval: "1h" };
  const receivers = [{ name: "team", webhook_configs: [{ url: webhook, send_resolved: true }] }];
  writeFileSync(join(folder, "alertmanager.yml"), JSON.stringify({ route, receivers }));
  const args = [
    `--config.file=${join(folder, "alertmanager.yml")}`,
    `--storage.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address=",
  ];
  const child = spawn(PROGRAM, args, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes("Listening on")) break;
  child.stderr.resume();
  return `127.0.0.1:${port}`;
}

interface Rules {
  readonly groups: { readonly rules: { readonly alert?: string; for?: string }[] }[];
}

/** The rules of the package without their hold-off times, which `promtool` tests. */
function rulesAtOnce(): string {
  const rules = parse(readFileSync(join(REPOSITORY, "docs/examples/prometheus/svcm.rules.yml"), "utf8")) as Rules;
  for (const group of rules.groups) for (const rule of group.rules) delete rule.for;
  const file = join(temporaryFolder(), "svcm.rules.yml");
  writeFileSync(file, JSON.stringify(rules));
  return file;
}

test.skipIf(!hasPrometheus || !hasNats || !hasAlertmanager)(
  "the alerts of a fleet reach a webhook and are resolved (needs prometheus, prometheus-alertmanager, nats-server)",
  async () => {
    const own = pm2();
    onTestFinished(() => own.end());
    await own.run({ name: "looping", code: "setTimeout(() => process.exit(1), 300)", max_restarts: 1_000_000 });
    await own.run({ name: "stopped" });
    const caller = { source: "cli", grants: ["act"] } as const;
    await execute(processAct, own.ports(), { action: "stop", name: "stopped" }, caller);
    const fleet = await testFleet();
    const world = () => nodePorts({ root: fleet.root("web-1"), env: { PM2_HOME: own.home }, cwd: fleet.root("web-1") });
    await fleet.start("web-1", { world });
    await fleet.start("web-2");
    const connect = () => connectFleet(fleet.ports("vera"), fleet.variables("vera"));
    const server = await testServer({ connectFleet: connect });
    const { url, until } = await receiver();
    await prometheus({
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [rulesAtOnce()],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [await alertmanager(url)] }] }] },
      scrape_configs: [
        { job_name: "svcm", http_sd_configs: [{ url: `${server.url}/api/fleet/targets`, refresh_interval: "1s" }] },
      ],
    });
    const of = (found: readonly Alert[], alertname: string, instance: string, status = "firing"): Alert | undefined =>
      found.find(
        ({ labels, ...alert }) =>
          labels["alertname"] === alertname && labels["instance"] === instance && alert.status === status,
      );
    const wanted = [
      ["SvcmNodeAway", "db-1"],
      ["SvcmPm2Away", "web-2"],
      ["SvcmCrashLoop", "web-1"],
      ["SvcmProcessDown", "web-1"],
    ] as const;
    const alerts = await until((found) => wanted.every(([name, node]) => of(found, name, node) !== undefined));
    expect(of(alerts, "SvcmNodeAway", "db-1")?.annotations.summary).toBe("db-1 does not answer.");
    expect(of(alerts, "SvcmCrashLoop", "web-1")?.labels).toMatchObject({ name: "looping", severity: "critical" });
    await fleet.start("db-1");
    await until((found) => of(found, "SvcmNodeAway", "db-1", "resolved") !== undefined);
  },
);
