/** Alerts, metrics and the state of a node compare with the environment of the machine, not with the default of the repository. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execute, metricsShow, nodeShow } from "../../src/core/index.ts";
import { watchMachine } from "../../src/core/metrics/telemetry.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const { own, ports } = runningPm2();

longTest("the environment of the machine is compared, and never for a token of another one", async () => {
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  for (const environment of ["dev", "production", "staging"])
    own.pm2Folder([{ name: `${environment}-web`, script: "./app.cjs" }], environment);
  expect((await execute(metricsShow, ports, {}, caller)).ecosystem.missingExpected).toEqual(["dev-web"]);

  await ports.releases.recordEnvironment("production");
  const { environment, ecosystem } = await execute(metricsShow, ports, {}, caller);
  expect([environment, ecosystem.missingExpected]).toEqual(["production", ["production-web"]]);
  expect(await execute(nodeShow, ports, {}, caller)).toMatchObject({ environment: "production" });
  const limited = { ...caller, limits: { environments: ["dev"] } };
  expect((await execute(metricsShow, ports, {}, limited)).ecosystem.missingExpected).toEqual(["dev-web"]);
});

longTest("a watch follows the environment of the machine", async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen: string[][] = [];
  for await (const sample of watchMachine(ports, { intervalMs: 250 }, stop.signal)) {
    if (sample.kind !== "metrics") continue;
    const { missingExpected } = sample.payload.ecosystem;
    if (seen.at(-1)?.join() !== missingExpected.join()) seen.push([...missingExpected]);
    if (seen.length === 1) await ports.releases.recordEnvironment("staging");
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([["production-web"], ["staging-web"]]);
});

test("a record that cannot be read does not end the metrics", async () => {
  await ports.releases.recordEnvironment("production");
  const names = readdirSync(join(own.home, "svcm"), { recursive: true, encoding: "utf8" });
  const path = join(
    own.home,
    "svcm",
    names.find((name) => name.endsWith("/environment"))!,
  );
  rmSync(path);
  mkdirSync(path);
  onTestFinished(() => rmSync(path, { recursive: true }));
  expect(await execute(metricsShow, ports, {}, caller)).toMatchObject({ environment: "dev" });
});
