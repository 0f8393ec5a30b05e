/** Several acts of one command: their order, their failures, and what is said afterwards. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { ProcessRecord } from "../../../../src/core/pm2/process-record.ts";
import type { Act, Outcome } from "../../../../src/core/rollout/control/action.ts";
import { createActs, runAll } from "../../../../src/core/rollout/control/acts.ts";
import { record } from "../../../support/process-record.ts";

const outcome = (name: string, pmId = 0): Outcome => ({
  affected: [{ name, pmId, namespace: "default", pid: 7, status: "online" }],
  skipped: [],
});
const failure = (kind: "PROCESS_ACTION_FAILED" | "PROCESS_ACTION_REFUSED", details: string) =>
  new SvcmError(kind, { code: "APP_NEVER_SETTLES", details });

describe("the acts of a command", () => {
  const run = async (plan: readonly (readonly [label: string, app: string | undefined, error?: Error])[]) => {
    const begun: string[] = [];
    const progress: string[] = [];
    let open = 0;
    let most = 0;
    const acts = plan.map(([label, app, error], at): Act => ({
      label,
      ...(app !== undefined && { app }),
      run: async () => {
        begun.push(label);
        most = Math.max(most, (open += 1));
        await Promise.resolve();
        open -= 1;
        if (error !== undefined) throw error;
        return outcome(label, at);
      },
    }));
    const report = ({ done, total, label }: { done: number; total: number; label: string }): void =>
      void progress.push(`${label} ${done}/${total}`);
    const answer = await runAll("restart", acts, report as never).catch((error: unknown) => error);
    return { answer, begun, progress, most };
  };

  test("run side by side for several apps, at most four, and each is reported", async () => {
    const { answer, most, progress } = await run(["a", "b", "c", "d", "e"].map((name) => [name, name] as const));
    expect(most).toBe(4);
    expect(progress).toEqual(["a 1/5", "b 2/5", "c 3/5", "d 4/5", "e 5/5"]);
    expect((answer as Outcome).affected.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("of one app run one after another, and none after a failure", async () => {
    const { most } = await run([
      ["a1", "a"],
      ["a2", "a"],
    ]);
    expect(most).toBe(1);
    const { answer, begun } = await run([
      ["a1", "a"],
      ["a2", "a", failure("PROCESS_ACTION_FAILED", "It ended.")],
      ["a3", "a"],
      ["b1", "b"],
    ]);
    expect(begun.toSorted()).toEqual(["a1", "a2", "b1"]);
    expect(answer).toMatchObject({
      kind: "PROCESS_ACTION_FAILED",
      body: {
        code: "APP_NEVER_SETTLES",
        details:
          "The restart of 1 of 4 failed. a2: It ended. Succeeded: a1 (id 0), b1 (id 3). Not begun because an instance before failed: a3.",
      },
    });
  });

  test("are refused only if each failure is a refusal", async () => {
    const refused = failure("PROCESS_ACTION_REFUSED", "No.");
    expect(
      (
        await run([
          ["a", "a", refused],
          ["b", "b", refused],
        ])
      ).answer,
    ).toMatchObject({
      kind: "PROCESS_ACTION_REFUSED",
      body: { details: "The restart of 2 of 2 failed. a: No. b: No. Succeeded: none." },
    });
    expect(
      (
        await run([
          ["a", "a", refused],
          ["b", "b", failure("PROCESS_ACTION_FAILED", "x")],
        ])
      ).answer,
    ).toMatchObject({
      kind: "PROCESS_ACTION_FAILED",
    });
  });

  test("that are one, or have a defect, end with their own error", async () => {
    const own = failure("PROCESS_ACTION_FAILED", "It ended.");
    expect((await run([["a", "a", own]])).answer).toBe(own);
    const defect = new TypeError("x");
    expect(
      (
        await run([
          ["a", "a", defect],
          ["b", "b"],
        ])
      ).answer,
    ).toBe(defect);
    expect((await run([])).answer).toEqual({ affected: [], skipped: [] });
  });
});

describe("the apps of a request by PM2's list", () => {
  const { declaration } = record();
  const job = { declaration: { ...declaration, settings: { autorestart: false, cronRestart: "x" } } };
  const all = [
    record({ name: "web", pmId: 0, status: "online", pid: 7 }),
    record({ name: "web", pmId: 1, status: "online", pid: 8 }),
    record({ name: "night", pmId: 2, namespace: "default", cronRestart: "0 3 * * *", ...job }),
  ];
  const acts = async (input: object, list: readonly ProcessRecord[] = all) => {
    const noted: unknown[] = [];
    const attempt = { note: (facts: object) => void noted.push(facts) };
    const ports = {
      processes: { list: async () => list, lostDaemons: () => [], ownProcess: () => ({ pids: [], pm2: null }) },
      workspace: { pm2Home: "/pm2" },
      machine: { listeners: async () => [] },
      clock: { elapsed: () => 0 },
    };
    const created = await createActs(ports as never, input as never, attempt as never);
    return { ...created, labels: created.create({ action: "stop" } as never).map(({ label }) => label), noted };
  };

  test("of a name are all of its processes, and the audit names each of them", async () => {
    const { labels, noted, name } = await acts({ action: "stop", scope: "process", name: "web" });
    expect(labels).toHaveLength(2);
    expect(name).toBe("web");
    const of = (pmId: number): object => ({ name: "web", pmId, pm2Home: "/pm2" });
    expect(noted).toEqual([{ processes: [of(0), of(1)] }, { target: undefined }]);
  });

  test("of a namespace are not its jobs, unless they are stopped or deleted", async () => {
    const restart = await acts({ action: "restart", scope: "namespace", namespace: "default" });
    expect([restart.labels.length, restart.skipped.map(({ name }) => name)]).toEqual([2, ["night"]]);
    expect((await acts({ action: "delete", scope: "namespace", namespace: "default" })).labels).toHaveLength(3);
  });

  test("that are stopped and have a schedule are named, because PM2 starts them again", async () => {
    const { readEffect } = await acts({ action: "stop", scope: "process", name: "night" });
    expect((await readEffect()).warnings).toEqual([
      {
        code: "PROCESS_STILL_SCHEDULED",
        severity: "warning",
        path: ["apps", "night"],
        message: "PM2 still starts night on its schedule, 0 3 * * *. To end that, too: svcm delete night",
      },
    ]);
    for (const [action, name] of [
      ["stop", "web"],
      ["delete", "night"],
      ["restart", "night"],
    ])
      expect(await (await acts({ action, scope: "process", name })).readEffect()).toEqual({ warnings: [] });
  });
});
