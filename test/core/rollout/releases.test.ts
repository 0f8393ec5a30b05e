/** The records of applies below PM2_HOME: journals, copies of env files, and the environment of the machine. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeReleases } from "../../../src/core/rollout/releases.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ids = [1, 2, 3].map((at) => `2026112${at}-171146-2370`);
const [FIRST = "", SECOND = "", THIRD = ""] = ids;
const end = (outcome: string) => ({ event: "end", outcome, at: "2026-11-28T17:11:46.000Z" }) as never;

async function open() {
  const root = temporaryFolder();
  const home = join(root, "home");
  mkdirSync(home);
  const releases = nodeReleases(home, root);
  for (const id of ids) await releases.create(id, { event: "release", id } as never);
  const folder = join(releases.recordsFile(FIRST), "../..");
  const kept = async () => (await releases.list()).map(([head]) => (head?.event === "release" ? head.id : ""));
  return { root, home, releases, folder, kept };
}

describe("the releases of a machine", () => {
  test("are listed newest first with their events, and not the other folders beside them", async () => {
    const { releases, folder, kept } = await open();
    await releases.append(FIRST, end("applied"));
    mkdirSync(join(folder, "notes"));
    mkdirSync(join(folder, "20261129-171146-2370"));
    expect(await kept()).toEqual([THIRD, SECOND, FIRST]);
    expect((await releases.list()).at(-1)).toMatchObject([{ id: FIRST }, { outcome: "applied" }]);
  });

  test("are missing in a new PM2_HOME", async () => {
    const releases = nodeReleases(temporaryFolder(), "/srv");
    expect(await releases.list()).toEqual([]);
    await releases.prune(0, new Set());
    expect(await releases.recordedEnvironment()).toBeUndefined();
  });

  test("are pruned to the newest ones and those that are in use", async () => {
    const { releases, kept } = await open();
    await releases.prune(3, new Set());
    expect(await kept()).toHaveLength(3);
    await releases.prune(1, new Set([FIRST]));
    expect(await kept()).toEqual([THIRD, FIRST]);
  });

  test("are counted by their outcome since the start of svcm", async () => {
    const { releases } = await open();
    for (const outcome of ["applied", "half", "applied"]) await releases.append(FIRST, end(outcome));
    await releases.append(FIRST, { event: "left" } as never);
    expect([...releases.counts()]).toEqual([
      ["applied", 2],
      ["half", 1],
    ]);
  });

  test("are made by one apply at a time", async () => {
    const { releases } = await open();
    expect(await releases.lockedSince()).toBeNull();
    await releases.withLock(0, async () => {
      expect(typeof (await releases.lockedSince())).toBe("number");
      await expect(releases.withLock(0, async () => undefined)).rejects.toMatchObject({ kind: "APPLY_LOCKED" });
    });
    await expect(releases.withLock(0, () => Promise.reject(new TypeError("defect")))).rejects.toThrow("defect");
    expect(await releases.withLock(0, async () => 7)).toBe(7);
  });
});

describe("copies of env files", () => {
  test("have a number for each file that exists, and do not replace former ones", async () => {
    const { root, releases, folder } = await open();
    const [a, b, none] = ["a.env", "b.env", "none.env"].map((name) => join(root, name)) as [string, string, string];
    writeFileSync(a, "A=1\n");
    writeFileSync(b, "B=1\n");
    const copies = await releases.copyEnvFiles(FIRST, [none, a, b]);
    expect(copies).toEqual([
      { path: a, copy: `${FIRST}/env/0` },
      { path: b, copy: `${FIRST}/env/1` },
    ]);
    writeFileSync(a, "A=2\n");
    expect(await releases.copyEnvFiles(FIRST, [a])).toEqual([{ path: a, copy: `${FIRST}/env/2` }]);
    expect(readFileSync(join(folder, `${FIRST}/env/0`), "utf8")).toBe("A=1\n");
    expect([...(await releases.changedEnvFiles(copies))]).toEqual([[a, join(folder, `${FIRST}/env/0`)]]);
    rmSync(b);
    expect((await releases.changedEnvFiles(copies)).has(b)).toBe(true);
    // Without the copy, nothing could be put back.
    rmSync(join(folder, `${FIRST}/env/0`));
    expect((await releases.changedEnvFiles(copies)).has(a)).toBe(false);
  });

  test("that a later start of an app has replaced are removed, while the release is the newest and nothing else names them", async () => {
    const { root, releases, folder } = await open();
    const path = join(root, "a.env");
    writeFileSync(path, "A=1\n");
    const read = async (id: string, copies: readonly { readonly path: string; readonly copy: string }[]) =>
      await releases.recordRead(id, { event: "read", apps: { api: { envFiles: copies } } } as never);
    const left = (id: string) => readdirSync(join(folder, id, "env")).toSorted();
    for (const id of [SECOND, THIRD]) {
      for (let count = 0; count < 3; count += 1) await read(id, await releases.copyEnvFiles(id, [path]));
    }
    expect([left(SECOND), left(THIRD)]).toEqual([["0", "1", "2"], ["2"]]);
    await read(THIRD, [{ path, copy: `${SECOND}/env/0` }]);
    await read(THIRD, []);
    expect(existsSync(join(folder, SECOND, "env/0"))).toBe(true);
    const [copy] = await releases.copyEnvFiles(THIRD, [path]);
    await releases.append(THIRD, { event: "left", left: { apps: { api: { envFiles: [copy] } } } } as never);
    await read(THIRD, [copy!]);
    await read(THIRD, []);
    expect(left(THIRD)).toContain(copy?.copy.split("/").at(-1));
  });
});

test("the environment of the machine is the recorded one, on one line and not too long", async () => {
  const { releases, folder } = await open();
  await releases.recordEnvironment("production");
  expect(await releases.recordedEnvironment()).toBe("production");
  const path = join(folder, "../environment");
  expect(readFileSync(path, "utf8")).toBe("production\n");
  writeFileSync(path, "x".repeat(100));
  expect(await releases.recordedEnvironment()).toBe("x".repeat(80));
  writeFileSync(path, " \n");
  expect(await releases.recordedEnvironment()).toBeUndefined();
});
