import { beforeAll, expect, test } from "vitest";
import { execute, processAct, processScale, rightsOf, type Caller } from "../../src/core/index.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const limited: Caller = {
  source: "http",
  actor: "bot",
  role: "operator",
  grants: rightsOf.operator,
  limits: { environments: ["dev"] },
};
const { own, ports } = runningPm2();

beforeAll(async () => {
  await own.run({ name: "own" });
  await own.run({ name: "other", namespace: "shared" });
  await own.run({ name: "own-too", namespace: "shared" });
  own.pm2Folder([
    { name: "own", script: "./app-1.cjs" },
    { name: "own-too", script: "./app-3.cjs" },
  ]);
  own.pm2Folder([{ name: "other", script: "./app-2.cjs" }], "staging");
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { body: { code: string } }) => error.body.code,
  );

async function statusOf(name: string): Promise<string | undefined> {
  return (await ports.processes.list()).find((record) => record.name === name)?.status;
}

longTest("a limited token stops and starts a process of its environment", async () => {
  const act = (action: "stop" | "start") => execute(processAct, ports, { action, name: "own" }, limited);
  expect((await act("stop")).affected).toMatchObject([{ name: "own", status: "stopped" }]);
  expect((await act("start")).affected).toMatchObject([{ name: "own", status: "online" }]);
});

test.each<[string, Parameters<typeof processAct.run>[1]]>([
  ["by name", { action: "stop", name: "other" }],
  ["by number", { action: "stop", pmId: 1 }],
  ["among several", { action: "stop", names: ["own", "other"] }],
  ["through a namespace that contains it", { action: "stop", scope: "namespace", namespace: "shared" }],
  ["in the name of its environment", { action: "stop", name: "other", environment: "staging" }],
  [
    "as a declared app of its environment",
    { action: "restart", scope: "ecosystem", name: "other", environment: "staging" },
  ],
])("a limited token cannot stop a process of another environment: %s", async (_, input) => {
  expect(await codeOf(execute(processAct, ports, input, limited))).toBe("TOKEN_LIMITED");
  expect(await statusOf("other")).toBe("online");
  expect(await statusOf("own")).toBe("online");
});

test("a limited token cannot scale an app, because that request names no environment", async () => {
  expect(await codeOf(execute(processScale, ports, { name: "own", instances: 2 }, limited))).toBe("TOKEN_LIMITED");
});
