/** The effect of a write to an env file on the processes that run. */
import { expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { decideEffect, mergeEffects, type FileReader } from "../../../src/core/running/stale-processes.ts";

const reader: FileReader = {
  name: "api",
  fileName: "ecosystem.config.js",
  openKeys: [],
  declared: new Map([
    ["dev", [{ NODE_ENV: "d" }]],
    ["production", [{ NODE_ENV: "p" }]],
  ]),
};
const runs = (name: string, environment: object) =>
  ({ name, pmId: 0, startedAt: 1, declaration: { environment } }) as unknown as ProcessRecord;
const effect = (environment: string, running: readonly ProcessRecord[]) =>
  decideEffect({ environment, keys: ["PAGE_SIZE"], values: {} }, [reader], running);

test.each([
  ["the app runs as another environment", [runs("api", { NODE_ENV: "p" })], ["production"], 0],
  ["the app runs as this environment", [runs("api", { NODE_ENV: "d" })], [], 1],
  ["it runs as both", [runs("api", { NODE_ENV: "p" }), runs("api", { NODE_ENV: "d" })], [], 1],
  ["only another app runs", [runs("web", { NODE_ENV: "p" })], [], 0],
  ["nothing runs", [], [], 0],
])("a write to the file of dev, where %s", (_, running, elsewhere, stale) => {
  const found = effect("dev", running);
  expect([found.elsewhere, found.staleProcesses.length]).toEqual([elsewhere, stale]);
});

test("a file of two environments is read by what runs as either", () => {
  const running = [runs("api", { NODE_ENV: "p" })];
  expect(mergeEffects([effect("dev", running), effect("production", running)]).elsewhere).toEqual([]);
  expect(mergeEffects([effect("dev", running)]).elsewhere).toEqual(["production"]);
  expect(mergeEffects([]).elsewhere).toEqual([]);
});
