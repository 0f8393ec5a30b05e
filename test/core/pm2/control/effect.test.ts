import { expect, test } from "vitest";
import { readEffect } from "../../../../src/core/rollout/control/requested-apps.ts";
import type { Declaration } from "../../../../src/core/pm2/declared.ts";
import { countingPorts } from "../../../support/counting-ports.ts";

const declared: Declaration = {
  name: "api",
  apps: [],
  folder: "/",
  env: {},
  unset: ["A", "B"],
  missingFolder: undefined,
  missingScript: undefined,
  blocks: [],
};
const requested = {
  environment: "dev",
  isAll: false,
  declarations: [declared],
  refused: [],
  expected: [],
  visibleKeys: new Set<string>(),
  withheld: ["DB_PASSWORD"],
  appliedApps: {},
  service: undefined,
  expecting: { machine: { cpuCores: 1 }, digest: String },
};

test("if PM2's list cannot be read after an action, the warnings say so", async () => {
  const world = countingPorts();
  world.records = undefined;
  const { warnings } = await readEffect(world.ports, requested, "restart");
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "ECOSYSTEM_VARIABLE_WITHHELD: The ecosystem file reads secrets of the shell that svcm does not pass on: DB_PASSWORD. The file's own values apply, if it has any. Put the secrets into an env file that the app reads, or start the app with PM2 itself.",
    "PROCESS_VARIABLE_UNSET: A, B have no value in the environment in which svcm reads the file: api was not given them, and keeps the value that it had before, if any.",
    "PROCESS_DRIFT_UNKNOWN: PM2's list could not be read after the action, so differences from the file are not known. No PM2 daemon runs. Compare again: svcm ecosystem drift",
  ]);
});
