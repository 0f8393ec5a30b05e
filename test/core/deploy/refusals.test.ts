/** The sentences and exit codes of a deploy that does not go through. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { foreignCode } from "../../../src/core/api/issue.ts";
import { toDeployRecord, type DeployRecord } from "../../../src/core/deploy/record.ts";
import {
  afterSteps,
  asDeploy,
  beforeFirstStep,
  compareCommits,
  findForeignLayout,
  formerCommit,
  noteForeignLayout,
  outcomeOf,
  requireUntried,
  unswitched,
  untouched,
  withoutOthers,
  whyTried,
} from "../../../src/core/deploy/refusals.ts";

const commit = "4a91c77".padEnd(40, "0");
const at = "2026-11-27T08:05:01.000Z";
const record: DeployRecord = {
  ...toDeployRecord([
    {
      event: "begin",
      id: "20261127080501-4a91c77",
      commit,
      subject: "faster search",
      revision: "main",
      source: "/srv/origin.git",
      environment: "dev",
      spellings: ["dev"],
      by: { source: "cli" },
      at,
      checkout: "/srv/app",
      prefix: "",
    },
  ])!,
};

describe("a commit that was tried before", () => {
  const applied = { undoes: undefined, outcome: "applied" } as const;
  const undone = { undoes: "r1", outcome: "applied" } as const;
  const cutOff = { undoes: "r1", outcome: "half" } as const;
  test.each<
    [string, DeployRecord["state"], string | null, Parameters<typeof whyTried>[1], boolean, string | undefined]
  >([
    ["touched no process", "failed", null, [], false, undefined],
    ["failed", "failed", "r1", [], false, "failed here"],
    ["was reverted", "reverted", "r1", [], false, "failed here"],
    ["ended half done", "half", "r1", [], false, "failed here"],
    ["failed, and is current now", "failed", "r1", [], true, undefined],
    ["was applied", "done", "r1", [applied], false, undefined],
    ["was undone", "done", "r1", [applied, undone], false, "was rolled back here"],
    ["another one was undone", "done", "r2", [undone], false, undefined],
    ["its rollback failed before", "done", "r1", [applied, cutOff], false, undefined],
    ["its rollback was cut off", "done", "r1", [cutOff], true, "is being rolled back here, which was cut off"],
  ])("%s", (_what, state, release, releases, isCurrent, why) => {
    expect(whyTried({ state, release }, releases, isCurrent)).toBe(why);
  });

  const tried = async (
    records: readonly DeployRecord[],
    current: string | null = null,
  ): Promise<SvcmError | undefined> => {
    const root = { records: async () => records, current: async () => current };
    const ports = { releases: { list: async () => [], lockedSince: async () => null } };
    const context = { root, ports } as unknown as Parameters<typeof requireUntried>[0];
    return await requireUntried(context, record).then(
      () => undefined,
      (error: SvcmError) => error,
    );
  };
  const failed: DeployRecord = { ...record, state: "failed", release: "r1", reason: "no health" };

  test("is refused with the reason then, and the command that tries it again", async () => {
    expect((await tried([failed]))?.body).toEqual({
      code: "DEPLOY_TRIED",
      details:
        '4a91c77 "faster search" failed here, so it is left alone. Nothing was changed.\nThe reason then: no health',
      hint: "Push another commit. To try this one again: svcm deploy 4a91c77000",
    });
    expect((await tried([{ ...failed, reason: null }]))?.body.details).toMatch(/Nothing was changed\.$/);
  });

  test.each<[string, readonly DeployRecord[], string | null]>([
    ["another commit", [{ ...failed, commit: "b".repeat(40) }], null],
    ["the present one", [failed], record.id],
    ["none", [], null],
  ])("is not refused if it was %s", async (_what, records, current) => {
    expect(await tried(records, current)).toBeUndefined();
  });
});

const refused = (kind: SvcmError["kind"], code?: string): SvcmError =>
  new SvcmError(kind, {
    ...(code !== undefined && { code: foreignCode(code) }),
    details: "It is so.",
    hint: "Correct it, then: svcm apply",
  });

describe("the exit code", () => {
  test.each([
    ["DEPLOY_FAILED", undefined, "DEPLOY_FAILED"],
    ["NOT_FOUND", undefined, "DEPLOY_FAILED"],
    ["PM2_FAILED", undefined, "DEPLOY_IMPOSSIBLE"],
    ["DEPLOY_IMPOSSIBLE", "DEPLOY_NO_SPACE", "DEPLOY_IMPOSSIBLE"],
    ["REVISION_FAILED", undefined, "DEPLOY_IMPOSSIBLE"],
    ["AUDIT_FAILED", undefined, "DEPLOY_IMPOSSIBLE"],
    // The system refuses, or a file of the release has an error with a code of the system.
    ["ENV_FILE_FAILED", "EACCES", "DEPLOY_IMPOSSIBLE"],
    ["DEPLOY_FAILED", "EFBIG", "DEPLOY_FAILED"],
    ["ENV_FILE_FAILED", "XEACCES", "DEPLOY_FAILED"],
    ["ENV_FILE_FAILED", undefined, "DEPLOY_FAILED"],
  ] as const)("of %s with %s before the first step is that of %s", (kind, code, expected) => {
    expect(untouched(refused(kind, code))).toMatchObject({
      kind: expected,
      body: { details: "It is so.\nNothing that runs was touched." },
    });
  });

  test.each([
    ["APPLY_HALF", undefined, "half"],
    ["APPLY_HALF", "OTHER_APPS_CHANGED", "done"],
    ["APPLY_REVERTED", undefined, "reverted"],
    ["APPLY_REFUSED", undefined, "failed"],
  ] as const)("after %s with %s, the deploy is %s", (kind, code, expected) =>
    expect(outcomeOf(refused(kind, code))).toBe(expected),
  );

  test("without another app, names the deploy of the service whose release current does not lead to", () => {
    const failure = { app: "web", reason: "it ended", errorLines: [] };
    const error = new SvcmError("APPLY_HALF", { code: "OTHER_APPS_CHANGED", failure, hint: "Its step: svcm plan" });
    expect(withoutOthers(error, { commit: "0123456789ab", source: "origin" }, "shop").body.hint).toBe(
      "Read why: svcm why web. To start it: svcm deploy 0123456789 --service shop",
    );
  });

  test.each([
    [null, "There is no current yet, so svcm plan and svcm apply compare with the checkout."],
    ["2026-4a91c77", "current stays at 2026-4a91c77, with which svcm plan and svcm apply compare."],
  ])("says with what a plan compares after its last step: %s", (former, expected) => {
    expect(afterSteps(refused("APPLY_HALF", "APP_CHANGED_LATER"), former).body.details).toBe(`It is so.\n${expected}`);
    expect(afterSteps(refused("APPLY_HALF"), former).body.details).toBe("It is so.");
  });

  test.each([
    [["a", "b"], [], "The release that runs had changes already: a, b. Nothing else that runs was touched."],
    [[], ["c"], "Files of the release that runs changed while the new one was prepared: c. Nothing else that runs"],
  ])("names files of the release that runs: %j before, %j meanwhile", (before, meanwhile, expected) => {
    const error = untouched(refused("DEPLOY_FAILED"), { before, meanwhile });
    expect(error).toMatchObject({ body: { details: expect.stringContaining(`\n${expected}`) } });
  });

  test("has the sentence of its kind without a more exact one", () => {
    expect(untouched(new SvcmError("PM2_FAILED"))).toMatchObject({
      body: { details: "PM2 operation failed.\nNothing that runs was touched." },
    });
  });

  test("is that of a defect if it is one", () => {
    const defect = new TypeError("x");
    expect([untouched(defect), unswitched(defect, record)]).toEqual([defect, defect]);
  });
});

test("an error of the apply names the deploy as the next command, and not an apply of the checkout", () => {
  expect(asDeploy(refused("APPLY_REVERTED"), "svcm deploy v1").body.hint).toBe("Correct it, then: svcm deploy");
  expect(asDeploy(new SvcmError("APPLY_REVERTED", { details: "It is so." }), "svcm deploy").body).toEqual({
    details: "It is so.",
  });
  const stale = new SvcmError("PLAN_STALE", { details: "It is so.", hint: "Read the new plan: svcm plan" });
  expect(beforeFirstStep(stale)).toBe(stale);
  // A plan without the deploy has another id.
  expect(asDeploy(stale, "svcm deploy v1").body.hint).toBe("Read the new plan: svcm deploy v1 --dry-run");
  expect(beforeFirstStep(refused("PM2_FAILED"))).toMatchObject({
    kind: "DEPLOY_IMPOSSIBLE",
    body: { details: expect.stringContaining("Nothing that runs was touched.") },
  });
});

test("if current cannot be switched, the apps run the commit, and the deploy is half done", () => {
  expect(unswitched(refused("DEPLOY_REFUSED", "DEPLOY_ROOT_UNUSABLE"), record)).toMatchObject({
    kind: "APPLY_HALF",
    body: {
      code: "DEPLOY_ROOT_UNUSABLE",
      details: expect.stringMatching(/^The apps run 4a91c77, but current was not switched: .*It is so/s),
      hint: "Correct that, then: svcm deploy 4a91c77000",
    },
  });
});

describe("a folder of another tool", () => {
  const both = ["/srv/app/current", "/srv/app/shared"];
  const capistrano = "/srv/app/releases/20261127080501";
  test.each([
    [capistrano, both, "Capistrano"],
    ["/srv/app/source", both, "pm2 deploy"],
    [capistrano, ["/srv/app/current"], undefined],
    [capistrano, ["/srv/app/shared"], undefined],
    [`${capistrano}1`, both, undefined],
    ["/srv/app", both, undefined],
    ["/source", ["/current", "/shared"], undefined],
  ])("%s with %j is of %s", async (checkout, paths, tool) => {
    const found = await findForeignLayout(checkout, async (path) => paths.includes(path));
    expect(found).toEqual(tool === undefined ? undefined : { tool, root: "/srv/app" });
  });

  test.each([
    ["/srv/app", capistrano, ["/srv/app has the layout of Capistrano. It is used as it is."]],
    [
      "/d",
      capistrano,
      ["/srv/app has the layout of Capistrano. To use it as it is, set deploy.root to /srv/app in svcm.yaml."],
    ],
    ["/d", "/srv/app", []],
  ])("is named with the deploy root %s and the checkout %s", async (root, checkout, expected) => {
    const notes: string[] = [];
    const deployRoot = { layout: { root }, realPath: (path: string) => path, exists: async () => true };
    const context = { root: deployRoot, ports: { workspace: { root: checkout } }, notes, caller: {} };
    await noteForeignLayout(context as unknown as Parameters<typeof noteForeignLayout>[0]);
    expect(notes).toEqual(expected);
  });
});

test("commits that Git has lost are unknown, and a defect is not concealed", async () => {
  const git = (error?: Error) => ({
    listBetween: async (from: string, to: string) => {
      if (error !== undefined) throw error;
      return [{ commit: `${from} to ${to}`, subject: "" }];
    },
  });
  const compare = (error?: Error) => compareCommits(git(error) as never, "a", "b");
  expect(await compare()).toEqual({
    added: [{ commit: "a to b", subject: "" }],
    removed: [{ commit: "b to a", subject: "" }],
  });
  expect(await compare(refused("DEPLOY_FAILED"))).toBeNull();
  await expect(compare(new TypeError("x"))).rejects.toThrow(TypeError);
});

test("the former commit is that of the release that current leads to, also of another tool", async () => {
  const context = (foreign: unknown) => ({ root: { records: async () => [record], foreign: async () => foreign } });
  const former = (id: string | null, foreign: unknown = null) => formerCommit(context(foreign) as never, id);
  expect(await former(record.id)).toBe(commit);
  expect(await former("20261127080502-0000000")).toBeNull();
  expect(await former(null)).toBeNull();
  expect(await former(null, { folder: "/x", commit: "b" })).toBe("b");
});
