/** The release that plan, apply and drift compare with in place of the checkout, and deploys that were cut off. */
import { describe, expect, test } from "vitest";
import { findCurrentWorld, listDeployIssues } from "../../../src/core/deploy/current-release.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { toDeployRecord, type DeployEvent, type DeployRecord } from "../../../src/core/deploy/record.ts";

const commit = "4a91c77".padEnd(40, "0");
const at = "2026-11-27T08:05:01.000Z";
const ID = "20261127080501-4a91c77";
const head: DeployEvent = {
  event: "begin",
  id: ID,
  commit,
  subject: "",
  revision: "main",
  source: "",
  environment: "production",
  spellings: ["production", "prod"],
  by: { source: "cli" },
  at,
  checkout: "/srv",
  prefix: "packages/",
};
const applying: DeployEvent[] = [head, { event: "prepared", at, bytes: 1, files: 1 }, { event: "apply", at }];
const end = (outcome: "done" | "half"): DeployEvent => ({ event: "end", outcome, at });

describe("the world of the current release", () => {
  const find = (environment?: string, current: string | null = ID, exists = true) => {
    const places: unknown[] = [];
    const root = {
      layout: layoutOf("/d"),
      current: async () => current,
      records: async () => [toDeployRecord([head])],
      exists: async (path: string) => exists && path === `/d/releases/${ID}`,
    };
    const deploys = { open: () => root, world: (place: unknown) => (places.push(place), { facts: places }) };
    return findCurrentWorld(deploys as unknown as Parameters<typeof findCurrentWorld>[0], "/d", environment);
  };

  test.each([undefined, "production", " PROD "])("is found for the environment %j", async (environment) => {
    const { facts } = (await find(environment))!;
    expect(facts).toEqual([{ layout: layoutOf("/d"), id: ID, prefix: "packages/", commit, checkout: "/srv" }]);
  });

  test.each([
    ["another environment", "dev", ID],
    ["no release", "production", null],
    ["a release without a record", "production", "20261127080502-0000000"],
  ])("is missing for %s", async (_what, environment, current) => {
    expect(await find(environment, current)).toBeUndefined();
  });

  test("is refused if its folder is gone, with both ways on", async () => {
    await expect(find("production", ID, false)).rejects.toMatchObject({
      kind: "APPLY_REFUSED",
      body: {
        code: "RELEASE_GONE",
        path: `/d/releases/${ID}`,
        details: expect.stringContaining("/d/current leads to"),
        hint: expect.stringMatching(/: svcm deploy 4a91c77000\..* remove \/d\/current, and run svcm apply/),
      },
    });
  });

  test("names changed files, and says nothing without any", async () => {
    const { changed } = (await find())!;
    expect(changed([])).toEqual([]);
    expect(changed(["a.js", "b.js"])).toMatchObject([
      { severity: "warning", message: `/d/releases/${ID} is not as 4a91c77 was prepared: a.js, b.js` },
    ]);
  });
});

type Root = Parameters<typeof listDeployIssues>[0];

test("an app that runs a newer release than current leads to is named, with the deploy of all", async () => {
  const journals = [head, { ...head, id: "20261127070501-0b91c77" }].map((one) => [one, end("done")]);
  const list = async (current: string | null, touched: Parameters<typeof listDeployIssues>[2]) => {
    const root = {
      layout: layoutOf("/d"),
      current: async () => current,
      lockedSince: async () => null,
      planSwitch: async () => ({}),
      records: async () => journals.map((events) => toDeployRecord(events)),
    };
    const issues = await listDeployIssues(root as unknown as Root, undefined, touched);
    return issues.map(({ code, message }) => `${code} ${message}`);
  };
  const older = "20261127070501-0b91c77";
  const web = { name: "web", cwd: `/d/releases/${ID}/packages` };
  expect(await list(older, [web, web, { name: "api", cwd: null }])).toEqual([
    `DEPLOY_AHEAD web runs the newer 4a91c77, and an apply returns it to ${older}, where current leads. To run 4a91c77 as a whole instead: svcm deploy 4a91c77000`,
  ]);
  expect(await list(older, [web, { ...web, name: "worker" }])).toEqual([
    expect.stringMatching(/^DEPLOY_AHEAD web, worker run the newer 4a91c77, and an apply returns them to /),
  ]);
  const ahead = { ...web, cwd: `/d/releases/${older}` };
  expect([await list(older, []), await list(ID, [ahead]), await list(null, [web])]).toEqual([[], [], []]);
});

describe("a deploy without an end", () => {
  const release: DeployEvent = { event: "release", release: "r2" };
  const list = async (
    journals: readonly (readonly DeployEvent[])[],
    lastApplied?: string,
    since: number | null = null,
  ) => {
    const records = journals.map((events) => toDeployRecord(events)) as DeployRecord[];
    const root = {
      lockedSince: async () => since,
      records: async () => records,
      current: async () => null,
      planSwitch: async () => ({}),
    };
    const issues = await listDeployIssues(root as unknown as Parameters<typeof listDeployIssues>[0], lastApplied, []);
    return issues.map(({ code, message, accepted }) => [code, message, ...(accepted ?? [])]);
  };
  const retry = "svcm deploy 4a91c77000";
  const back = "svcm rollback r2";

  test.each<[string, readonly DeployEvent[], RegExp, string[]]>([
    [
      "in its build",
      [head],
      /^The deploy of 4a91c77 was interrupted before its release was prepared; nothing that runs was touched/,
      [retry],
    ],
    [
      "before its first step",
      applying,
      /^The deploy of 4a91c77 was interrupted before its first step; nothing that runs was touched/,
      [retry],
    ],
    [
      "in its steps",
      [...applying, release],
      /^The deploy of 4a91c77 was interrupted after its apply began: some apps may run it/,
      [retry, back],
    ],
    [
      "half done",
      [...applying, release, end("half")],
      /^The deploy of 4a91c77 ended half done: some apps may run it/,
      [retry, back],
    ],
    [
      "half done after its last step",
      [...applying, release, { ...end("half"), cause: "APP_CHANGED_LATER" } as DeployEvent],
      /^The deploy of 4a91c77 ended half done: its apps run it, but one of them ended or changed after its step, and current leads to nothing, with which a plan and an apply compare\. To finish it/,
      [retry, back],
    ],
  ])("that was cut off %s is named with the commands to choose from", async (_when, events, message, accepted) => {
    expect(await list([events])).toEqual([["DEPLOY_INTERRUPTED", expect.stringMatching(message), ...accepted]]);
  });

  test("is under way while the root is locked", async () => {
    expect(await list([[head]], "", 1)).toEqual([
      ["DEPLOY_RUNNING", "The deploy of 4a91c77 has not ended, and a deploy or a rollback is running."],
    ]);
  });

  test.each<[string, readonly (readonly DeployEvent[])[], string | undefined, number]>([
    ["it is done", [[...applying, release, end("done")]], undefined, 0],
    ["it is prepared for a deploy", [applying.slice(0, 2)], undefined, 0],
    [
      "half of it is done, and a newer one is whole",
      [
        [...applying, end("done")],
        [...applying, end("half")],
      ],
      "",
      0,
    ],
    [
      "half of it is done, and an older one is whole",
      [
        [...applying, end("half")],
        [...applying, end("done")],
      ],
      "",
      1,
    ],
    ["half of it is done, and an apply came later", [[...applying, release, end("half")]], "r3", 0],
    ["half of it is done, and it was the last apply", [[...applying, release, end("half")]], "r2", 1],
    ["half of it is done, without an apply", [[...applying, end("half")]], "r3", 1],
  ])("counts only if it decides what runs: %s", async (_what, journals, lastApplied, count) => {
    expect(await list(journals, lastApplied)).toHaveLength(count);
  });
});
