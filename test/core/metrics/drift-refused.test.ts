/** No difference is no "as declared" if a plan refuses the file. */
import { expect, test } from "vitest";
import { commandLineCaller, ecosystemDrift, execute, type Ports } from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";

test("a file without apps, and one that nobody decided on, are errors of the comparison", async () => {
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
