import { expect, test } from "vitest";
import { processColumns } from "../../../src/commands/terminal/metrics.ts";
import { withStyles } from "../../../src/commands/terminal/screen.ts";
import { renderTable } from "../../../src/commands/terminal/table.ts";
import { svcm } from "../../support/svcm.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../../support/workspace.ts";

const [RED, GREEN, YELLOW, DIM] = [31, 32, 33, 2].map((code) => `\u001B[${code}m`);

const errored = { code: "PROCESS_ERRORED" };

test.each([
  ["online", null, GREEN],
  ["waiting", null, GREEN],
  ["errored", errored, RED],
  ["stopped", null, DIM],
  ["starting", null, YELLOW],
  ["unknown", null, YELLOW],
] as const)("in a list of processes, %s has its colour", (state, problem, colour) => {
  const nothing = { stateReason: null, cpuPercent: null, memoryBytes: null, uptimeMs: null, restartCount: null };
  const text = renderTable(processColumns, [{ name: "api", pmId: 0, state, problem, ...nothing }], { colours: 1 });
  expect(withStyles(text, true)).toContain(`${colour}${state}\u001B[`);
});

const TARGET = "region: eu, runtime: node22, serviceType: functions, runtimeProtocol: http, databaseDriver: RDS";

test.each([
  ["an error", ["env", "get", "-e", "moon"], `${RED}Error:`],
  ["a valid target", ["targets", "list"], `${GREEN}valid`],
  ["an invalid target", ["targets", "list"], `${RED}TARGET_VALUE_UNKNOWN`],
  ["a finding", ["validate"], `${RED}error`],
  ["a key that differs", ["env", "diff", "dev", "staging"], `${YELLOW}different`],
  ["a start that is possible", ["startup", "check", "rest"], `${GREEN}rest may start`],
])("%s has its colour", async (_, argv, expected) => {
  const { root } = makeWorkspace({
    [`${CONFIG_FOLDER}/.env.dev`]: GOOD_ENV,
    [`${CONFIG_FOLDER}/.env.staging`]: GOOD_ENV.replace("express", "fastify"),
    "deployments.yaml": `deployments:\n${["lambda", "moon"].map((target) => `  - { name: ${target}, deployTarget: ${target}, keyValueDriver: redis, ${TARGET} }\n`).join("")}`,
  });
  const { stdout, stderr } = await svcm(argv, { root, env: { FORCE_COLOR: "1" } });
  expect(stdout + stderr).toContain(expected);
});
