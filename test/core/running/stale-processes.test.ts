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

test("the first environment of an app in its file decides what a write does not reach, unless the variable is open", () => {
  const declared = new Map([
    [
      "dev",
      [
        { PAGE_SIZE: "1", OTHER: "2" },
        { PAGE_SIZE: "9", NODE_ENV: "d" },
      ],
    ],
  ]);
  const overridden = (
    keys: readonly string[],
    more: Partial<FileReader> = {},
    values = { PAGE_SIZE: "9", OTHER: "2" },
  ) =>
    decideEffect({ environment: "dev", keys, values, isUnchanged: () => false }, [{ ...reader, declared, ...more }], [])
      .overrides;
  const shown = { key: "PAGE_SIZE", app: "api", fileName: "ecosystem.config.js" };
  expect(overridden(["PAGE_SIZE", "OTHER", "NODE_ENV"])).toEqual([shown]);
  expect(overridden(["PAGE_SIZE"], {}, { PAGE_SIZE: "1", OTHER: "2" })).toEqual([]);
  expect(overridden(["NODE_ENV"], { openKeys: ["NODE_ENV"] })).toEqual([{ ...shown, key: "NODE_ENV" }]);
  expect(overridden(["PAGE_SIZE"], { declared: new Map() })).toEqual([]);
});

test("a process is not stale for a variable whose value another part of its file decides, or that it has already", () => {
  const declared = new Map([
    [
      "dev",
      [
        { NODE_ENV: "d", PAGE_SIZE: "1" },
        { NODE_ENV: "d", PAGE_SIZE: "2" },
      ],
    ],
  ]);
  const stale = (environment: object, more: Partial<FileReader> = {}) =>
    decideEffect(
      { environment: "dev", keys: ["PAGE_SIZE"], values: { PAGE_SIZE: "7" }, isUnchanged: () => false },
      [{ ...reader, ...more }],
      [runs("api", environment)],
    ).staleProcesses;
  const ofFile = [{ name: "api", pmIds: [0], scope: "ecosystem", environment: "dev" }];
  expect(stale({ NODE_ENV: "d", PAGE_SIZE: "2" }, { declared })).toEqual([]);
  expect(stale({ NODE_ENV: "d", PAGE_SIZE: "3" }, { declared })).toEqual(ofFile);
  expect(stale({ NODE_ENV: "d" }, { openKeys: ["PAGE_SIZE"] })).toEqual([]);
  expect(stale({ NODE_ENV: "d", PAGE_SIZE: "7" })).toEqual([]);
  expect(stale({ NODE_ENV: "d", PAGE_SIZE: "8" })).toEqual(ofFile);
  expect(stale({ NODE_ENV: "d" })).toEqual([{ name: "api", pmIds: [0], scope: "process" }]);
});

test("processes of one name are listed by number, and what does not run is not", () => {
  const running = [
    { ...runs("api", { NODE_ENV: "d" }), pmId: 5 },
    { ...runs("api", { NODE_ENV: "d", PAGE_SIZE: "1" }), pmId: 3 },
    { ...runs("api", { NODE_ENV: "d" }), pmId: 1, startedAt: null },
  ];
  const found = effect("dev", running);
  expect(found.staleProcesses).toEqual([{ name: "api", pmIds: [3, 5], scope: "ecosystem", environment: "dev" }]);
  const web = {
    staleProcesses: [{ name: "web", pmIds: [8], scope: "process" }],
    overrides: [],
    elsewhere: [],
  } as const;
  const again = { ...found, staleProcesses: [{ name: "api", pmIds: [1, 5], scope: "process" }] } as const;
  expect(mergeEffects([web, found, again], "x").staleProcesses).toEqual([
    { name: "api", pmIds: [1, 3, 5], scope: "ecosystem", environment: "dev" },
    { name: "web", pmIds: [8], scope: "process" },
  ]);
});
