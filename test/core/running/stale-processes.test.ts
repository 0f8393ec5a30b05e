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
  decideEffect({ environment, keys: ["PAGE_SIZE"], values: {}, isUnchanged: () => false }, [reader], running);

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
  expect(mergeEffects([effect("dev", running), effect("production", running)], "dev").elsewhere).toEqual([]);
  expect(mergeEffects([effect("dev", running)], "dev").elsewhere).toEqual(["production"]);
  expect(mergeEffects([], "dev").elsewhere).toEqual([]);
});

test("a process that got the key at its start is restarted as the environment as which it runs", () => {
  const running = [runs("api", { NODE_ENV: "p", PAGE_SIZE: "1" })];
  const merged = mergeEffects([effect("dev", running), effect("production", running)], "dev");
  expect(merged.staleProcesses).toEqual([{ name: "api", pmIds: [0], scope: "ecosystem", environment: "production" }]);
  // Nothing shows as which of both it runs.
  const either = [runs("api", { PAGE_SIZE: "1" })];
  const unclear = mergeEffects([effect("dev", either), effect("production", either)], "production");
  expect(unclear.staleProcesses).toMatchObject([{ scope: "ecosystem", environment: "production" }]);
});

test("a process that started with the present value is not stale, unless its start set another", () => {
  const set = (running: ProcessRecord) => {
    const file = { environment: "dev", keys: ["PAGE_SIZE"], values: {}, isUnchanged: () => true };
    return decideEffect(file, [reader], [running]).staleProcesses.length;
  };
  expect([set(runs("api", { NODE_ENV: "d" })), set(runs("api", { NODE_ENV: "d", PAGE_SIZE: "1" }))]).toEqual([0, 1]);
});
