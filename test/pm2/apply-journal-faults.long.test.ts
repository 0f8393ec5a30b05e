import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { execute, rolloutPlan } from "../../src/core/index.ts";
import { asNobody, canBeNobody, canMount, mount, NOBODY } from "../support/machine.ts";
import { api, caller, isStep, refusal, twoAppsUnderPm2, web } from "./two-apps.ts";

const { own, ports, apply, when, startApply } = twoAppsUnderPm2();

describe.skipIf(!canMount)("if the journal cannot be written (needs root and mount)", () => {
  const releases = (): string => join(own.home, "svcm", basename(own.folder), "releases");
  const disk = (): void => {
    mkdirSync(releases(), { recursive: true });
    mount(releases(), "-t", "tmpfs", "-o", "size=256k", "tmpfs");
  };
  const fill = (): void =>
    expect(() => writeFileSync(join(releases(), "ballast"), Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
  const makeReadOnly = (): void => void execFileSync("mount", ["-o", "remount,ro", releases()]);

  test.each([
    ["the disk is full", fill],
    ["the file system is read-only", makeReadOnly],
  ])("nothing is changed if %s, because svcm records before it acts", async (_, spoil) => {
    const before = await ports.processes.list();
    disk();
    spoil();
    const refused = await refusal(apply([api("4"), web("4")]));
    expect([refused.kind, refused.body.code]).toEqual(["PM2_FAILED", "PM2_HOME_UNUSABLE"]);
    expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });

  test.skipIf(!canBeNobody)("nothing is changed if the folder of the releases belongs to another user", async () => {
    const before = await ports.processes.list();
    own.pm2Folder([api("4"), web("4")]);
    for (const path of [own.folder, join(own.home, "rpc.sock")]) chmodSync(path, 0o777);
    for (const path of [join(releases(), ".."), releases()]) chmodSync(path, 0o755);
    const others = [own.home, join(own.home, "svcm"), join(own.home, "svcm/key")];
    const give = (id: number): void => others.forEach((path) => chownSync(path, id, id));
    give(NOBODY);
    onTestFinished(() => give(0));
    const child = startApply(...asNobody);
    expect(JSON.parse((await child.rest()).join(""))).toMatchObject({
      code: "PM2_HOME_UNUSABLE",
      details: expect.stringContaining("(EACCES)") as string,
    });
    expect(await child.ended).toEqual({ code: 3, signal: null });
    expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });

  test("the changed apps are reverted if the file system becomes read-only between two steps", async () => {
    disk();
    const world = when(isStep(0, "done"), makeReadOnly);
    const refused = await refusal(apply([api("4"), web("4")], world));
    expect([refused.kind, refused.body.code]).toEqual(["APPLY_REVERTED", "PM2_HOME_UNUSABLE"]);
    own.pm2Folder([api("1"), web("1")]);
    // The revert is not on record either, so the next plan saves PM2's list again.
    const { steps } = await execute(rolloutPlan, ports, { environment: "dev" }, caller);
    expect(steps).toMatchObject([{ do: "save", notes: ["DUMP_STALE"] }]);
  });
});
