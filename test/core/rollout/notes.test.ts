/** Notes of a step, beside its reasons. */
import { expect, test } from "vitest";
import { decide } from "../../../src/core/rollout/decide.ts";
import { listConflicts } from "../../../src/core/rollout/notes.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import { stepText } from "../../../src/core/rollout/report/words.ts";
import { expectedOf, loaded, type Fields } from "./loaded.ts";
import { inputOf } from "./plans.ts";

test.each([
  ["runs", {}, { from: 1, to: 2 }],
  ["is stopped, so no request went there", { status: "stopped", pid: null }, undefined],
])("the port of a process that %s moves: %j", (_how, fields, port) => {
  const running = simulateApply(expectedOf([{ env: { PORT: "1" } }])).map((one) => ({ ...one, ...fields }));
  const [step] = decide(inputOf(expectedOf([{ env: { PORT: "2" } }]), running)).steps;
  expect([step?.do, step?.port]).toEqual(["update", port]);
});

const probe = { kind: "http", port: 3000, path: "/health", portKey: "SVC_HTTP_PORT" } as const;

test.each<[string, Fields[], string[]]>([
  ["started", [], ["preflight", "start", "save"]],
  ["updated", [{ args: "x" }], ["preflight", "update", "save"]],
  ["replaced", [{ watch: true }], ["preflight", "replace", "save"]],
  ["scaled", [{ instances: 2, exec_mode: "fork" }], ["scale", "save"]],
])("an app that is %s has a preflight if its code is to run", (_how, before, steps) => {
  const expected = expectedOf([{}]).map((app) => ({ ...app, probe }));
  const { steps: decided } = decide(inputOf(expected, simulateApply(expectedOf(before))), {
    preflighted: new Set(["api"]),
  });
  expect(decided.map((step) => step.do)).toEqual(steps);
});

const cluster = { exec_mode: "cluster" };

test.each<[string, Fields, Fields[], string]>([
  ["is reloaded", cluster, [{ ...cluster, args: "x" }], "reload: no request is refused"],
  ["is scaled", { ...cluster, instances: 2 }, [cluster], "scale from 1 to 2 instances: no request is refused"],
  ["is restarted", {}, [{ args: "x" }], "restart: it is away until it runs again"],
  ["starts, and nothing answered before", {}, [], "start"],
])("the step of an app that %s promises what PM2 keeps", (_how, after, before, text) => {
  const [step] = decide(inputOf(expectedOf([after]), simulateApply(expectedOf(before)))).steps;
  expect(step && stepText(step)).toBe(text);
});

test.each<[string, Fields, string, boolean]>([
  [
    "a cluster with another Node.js",
    { ...cluster, interpreter: "/opt/bin/node" },
    "INTERPRETER_IGNORED_IN_CLUSTER",
    true,
  ],
  ["a cluster with that of PM2", cluster, "INTERPRETER_IGNORED_IN_CLUSTER", false],
  ["a fork with another Node.js", { interpreter: "/opt/bin/node" }, "INTERPRETER_IGNORED_IN_CLUSTER", false],
  ["a fork of Node.js", { interpreter: "/opt/bin/node" }, "GAP_BY_FORK", true],
  [
    "two forks, of which one answers",
    { interpreter: "/opt/bin/node", instances: 2, exec_mode: "fork" },
    "GAP_BY_FORK",
    false,
  ],
  ["a cluster", cluster, "GAP_BY_FORK", false],
  ["a program that is no script", { script: "/usr/bin/npm", interpreter: "/opt/bin/node" }, "GAP_BY_FORK", false],
  ["another language", { script: "/srv/a.py", interpreter: "python3" }, "GAP_BY_FORK", false],
])("the update of %s has the note %3$s: %4$s", (_what, fields, note, isNoted) => {
  const [step] = decide(inputOf(expectedOf([{ ...fields, args: "x" }]), simulateApply(expectedOf([fields])))).steps;
  expect([step?.do, step?.notes.some((one) => one === note)]).toEqual(["update", isNoted]);
});

test("two apps on one port are refused, unless both run already", () => {
  const two = [
    { name: "api", env: { PORT: "3000" } },
    { name: "web", script: "/srv/web.js", env: { PORT: "3000" } },
  ];
  const content = { name: "dev", path: "/srv/e.cjs", fileName: "e.cjs", listed: [], loaded: loaded(two) } as never;
  const online = simulateApply(expectedOf(two)).map((one, at) => ({ ...one, pid: 7 + at, status: "online" }));
  const severities = (running: readonly ProcessRecord[]) =>
    listConflicts(content, running, 4).map(({ apps, issue }) => `${apps.toSorted().join(" ")} ${issue.severity}`);
  expect(severities([])).toEqual(["api web error"]);
  expect(severities(online)).toEqual(["api web warning"]);
  expect(severities(online.slice(1))).toEqual(["api web error"]);
  for (const more of [{ status: "errored" }, { pid: null }, { pid: 0 }])
    expect(severities(online.map((one) => ({ ...one, ...more })))).toEqual(["api web error"]);
  expect(listConflicts({ ...(content as object), loaded: undefined } as never, online, 4)).toEqual([]);
});
