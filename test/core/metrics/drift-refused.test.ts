/** A comparison without a difference is not "as declared" if a plan refuses the file. */
import { expect, test } from "vitest";
import { commandLineCaller, ecosystemDrift, execute, type Ports } from "../../../src/core/index.ts";
import { EcosystemWatch } from "../../../src/core/metrics/sampling/ecosystem-watch.ts";
import { plainState } from "../../../src/core/running/state.ts";
import { longTest } from "../../support/runs.ts";
import { makeWorkspace } from "../../support/workspace.ts";

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
  await expect(execute(ecosystemDrift, ports, unnamed, commandLineCaller())).rejects.toMatchObject({
    body: { code: "ENVIRONMENT_REQUIRED" },
  });
});
