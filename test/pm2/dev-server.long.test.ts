/** A program that compiles as `next dev` does, after its start and into its folder. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLineCaller, execute, nodePorts, rolloutApply, rolloutPlan } from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller = commandLineCaller();
const { own } = runningPm2();

const COMPILE = `
const fs = require("fs");
const [, , mode] = process.argv;
fs.writeFileSync(".next/" + mode + ".js", String(Date.now()));
${IDLE}
setTimeout(() => { fs.writeFileSync(".next/" + mode + "-page.js", ""); fs.writeFileSync(mode, ""); }, 500);
`;

test("what a development server compiles is not its code, and the output of a build is", async () => {
  const path = (name: string): string => join(own.folder, name);
  for (const folder of ["node_modules/next/dist/bin", ".next", "app"]) mkdirSync(path(folder), { recursive: true });
  writeFileSync(path("node_modules/next/dist/bin/next"), COMPILE);
  writeFileSync(path("package.json"), "{}");
  writeFileSync(path("app/page.js"), "1");
  const app = (mode: string) => ({ name: mode, script: "node_modules/next/dist/bin/next", args: mode });
  writeFileSync(
    path("ecosystem.config.cjs"),
    `module.exports = ${JSON.stringify({ apps: [app("dev"), app("start")] })};`,
  );
  writeFileSync(
    path("svcm.yaml"),
    "version: 1\nenvironments: { dev: [] }\necosystem: { dev: ecosystem.config.cjs }\nrollout: { minHealthyTime: 100ms }\n",
  );
  const env = { PM2_HOME: own.home, PATH: process.env["PATH"] ?? "" };
  const ports = nodePorts({ root: own.folder, env, cwd: own.folder });
  const plan = async (): Promise<unknown> => {
    const { steps } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
    return steps.flatMap(({ app: name, why }) => (name === "" ? [] : [[name, ...why.map(({ details }) => details)]]));
  };
  await execute(rolloutApply, ports, { environment: "dev", revert: false }, caller).catch(() => undefined);
  await Promise.all(["dev", "start"].map((mode) => waitForFile(path(mode))));
  expect(await plan()).toEqual([["start", expect.stringContaining(".next/")]]);
  writeFileSync(path("app/page.js"), "2");
  expect(await plan()).toContainEqual(["dev", "app/page.js"]);
});
