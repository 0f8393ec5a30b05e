/** A comparison without a difference is not "as declared" if a plan refuses the file. */
import { expect, test } from "vitest";
import { commandLineCaller, ecosystemDrift, envApp, execute, type Ports } from "../../../src/core/index.ts";
import { EcosystemWatch } from "../../../src/core/metrics/sampling/ecosystem-watch.ts";
import { plainState } from "../../../src/core/running/state.ts";
import { longTest } from "../../support/runs.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const ONE = "version: 1\nenvironments: { dev: [] }\necosystem: { dev: a.config.js }\n";

longTest("a file without apps, and one that is undecided, are errors of the comparison", async () => {
  const { ports } = makeWorkspace({
    "svcm.yaml":
      "version: 1\nenvironments: { dev: [] }\necosystem: { dev: a.config.js }\nundecided: [{ file: b.config.js }]\n",
    "a.config.js": "module.exports = {};",
  });
  const processes: Ports["processes"] = {
    ...ports.processes,
    list: async () => [],
    withHomeKey: async () => ({ list: async () => [], digest: (text) => text }),
  };
  const { drift, issues } = await execute(
    ecosystemDrift,
    { ...ports, processes },
    { environment: "dev", service: undefined },
    commandLineCaller(),
  );
  expect(drift).toEqual([]);
  expect(issues.map(({ code }) => code)).toEqual(["LAYOUT_UNDECIDED", "ECOSYSTEM_APPS_MISSING"]);
});

test.each([
  ["a while before it was run", -21, 1],
  ["at the resolution of a file system's clock before", -20, 2],
  ["while it was run", 0, 2],
  ["after that, by another clock", 1, 1],
])("a file that was written %s (%i ms) may have changed: it runs %i times", async (_when, writtenMs, runs) => {
  const { ports } = makeWorkspace({ "svcm.yaml": ONE, "a.config.js": "module.exports = { apps: [] };" });
  const nowMs = 1_000_000;
  let elapsedMs = 0;
  let loads = 0;
  const stamp = { id: "1", modifiedMs: nowMs + writtenMs, changedMs: nowMs + writtenMs };
  const played = {
    ...ports,
    clock: { ...ports.clock, now: () => nowMs, elapsed: () => elapsedMs },
    stamps: {
      ...ports.stamps,
      read: (paths: readonly string[]) => paths.map((path) => (path.endsWith("a.config.js") ? stamp : null)),
    },
    ecosystems: {
      ...ports.ecosystems,
      load: (...args: Parameters<Ports["ecosystems"]["load"]>) => ((loads += 1), ports.ecosystems.load(...args)),
    },
  } as unknown as Ports;
  const watch = new EcosystemWatch(played, { environment: "dev" }, (text) => text);
  for (elapsedMs of [0, 19, 20]) await watch.read({ isCurrent: true });
  expect(loads).toBe(runs);
});

test("where nothing says which environment this machine is, nothing is compared, as no plan is made", async () => {
  const { ports } = makeWorkspace({
    "svcm.yaml":
      "version: 1\nenvironments: { dev: [], production: [] }\necosystem: { dev: a.config.js, production: a.config.js }\n",
    "a.config.js": 'module.exports = { apps: [{ name: "api", script: "a.js" }] };',
  });
  const watch = new EcosystemWatch(ports, { environment: "dev", isNamed: false }, (text) => text);
  const compared = await watch.compare([], { isCurrent: true, stateOf: () => plainState("online") });
  expect(compared).toMatchObject({ code: "ENVIRONMENT_REQUIRED", missingExpected: [], planSteps: null });
  const unnamed = { environment: undefined, service: undefined };
  // Another environment may declare the app with other values.
  await expect(execute(envApp, ports, { ...unnamed, app: "api" }, commandLineCaller())).rejects.toMatchObject({
    body: { code: "ENVIRONMENT_REQUIRED" },
  });
  await expect(execute(ecosystemDrift, ports, unnamed, commandLineCaller())).rejects.toMatchObject({
    body: { code: "ENVIRONMENT_REQUIRED" },
  });
});
