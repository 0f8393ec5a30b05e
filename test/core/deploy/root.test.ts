/** The folders of a deploy root: their owner, their records, and what is removed from them. */
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { attemptDeploy, deployRoot, realRoot, sharePaths } from "../../../src/core/deploy/machine/root.ts";
import { listFiles, readPointers } from "../../../src/core/deploy/machine/walk.ts";
import type { DeployEvent } from "../../../src/core/deploy/record.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ID = "20261127080501-4a91c77";
const LATER = "20261127080502-4a91c77";
const at = "2026-11-27T08:05:01.000Z";
const head = (id: string): DeployEvent => ({
  event: "begin",
  id,
  commit: "4a91c77".padEnd(40, "0"),
  subject: "",
  revision: "main",
  source: "",
  environment: "dev",
  spellings: [],
  by: { source: "cli" },
  at,
  checkout: "/srv",
  prefix: "",
});
const owner = { pm2Home: "/home/.pm2", environment: "dev", checkout: import.meta.dirname, service: "", services: [] };
const mode = (path: string): number => statSync(path).mode & 0o777;

test("a root belongs to one environment of one PM2, and only its records are private", async () => {
  const root = deployRoot(temporaryFolder());
  const { records, releases, shared, current } = root.layout;
  await root.claim(owner);
  await root.claim({ ...owner });
  expect([records, releases, shared].map(mode)).toEqual([0o700, 0o755, 0o755]);
  for (const other of [
    { ...owner, environment: "production" },
    { ...owner, pm2Home: "/other" },
  ])
    await expect(root.claim(other)).rejects.toMatchObject({
      kind: "DEPLOY_REFUSED",
      body: {
        code: "DEPLOY_ROOT_TAKEN",
        path: root.layout.root,
        details: expect.stringContaining("the environment dev in /home/.pm2"),
      },
    });
  const ofOther = { checkout: temporaryFolder(), service: "", services: [] };
  const taken = {
    code: "DEPLOY_ROOT_TAKEN",
    details: expect.stringContaining(`the project in ${owner.checkout}, and`),
  };
  await expect(root.claim({ ...owner, ...ofOther })).rejects.toMatchObject({ body: taken });
  await expect(root.requireOwn(ofOther)).rejects.toMatchObject({ body: taken });
  mkdirSync(current);
  await expect(root.claim(owner)).rejects.toMatchObject({ body: { code: "DEPLOY_ROOT_UNUSABLE" } });
});

test("records are the newest first, without those whose first line is torn, and there are none without a root", async () => {
  const root = deployRoot(temporaryFolder());
  expect(await root.records()).toEqual([]);
  await root.claim(owner);
  await root.append(ID, head(ID));
  await root.append(LATER, head(LATER));
  await root.append(LATER, { event: "prepared", at, bytes: 1, files: 2 });
  writeFileSync(join(root.layout.records, "20261127080503-4a91c77.jsonl"), '{"event":"beg');
  root.appendOutput(LATER, "build: one");
  expect((await root.records()).map(({ id, state }) => `${id} ${state}`)).toEqual([
    `${LATER} prepared`,
    `${ID} preparing`,
  ]);
  expect(readFileSync(join(root.layout.records, `${LATER}.log`), "utf8")).toBe("build: one\n");
  await root.forget(LATER);
  expect(readdirSync(root.layout.records).toSorted()).toEqual([
    `${ID}.jsonl`,
    "20261127080503-4a91c77.jsonl",
    "owner.json",
  ]);
});

test("the output of a release is kept up to a mebibyte, and a folder that is not there ends nothing", () => {
  const root = deployRoot(temporaryFolder());
  expect(() => root.appendOutput(ID, "x")).not.toThrow();
  mkdirSync(root.layout.records);
  const line = "é".repeat(2 ** 18 - 1);
  for (let count = 0; count < 3; count++) root.appendOutput(LATER, line);
  expect(statSync(join(root.layout.records, `${LATER}.log`)).size).toBe(2 * (2 * line.length + 1));
  root.appendOutput("other", "x".repeat(2 ** 20 - 1));
  root.appendOutput("other", "");
  expect(statSync(join(root.layout.records, "other.log")).size).toBe(2 ** 20);
});

test("a release is removed by its name first, and one that is gone already is not an error", async () => {
  const root = deployRoot(temporaryFolder());
  mkdirSync(join(root.layout.releases, ID, "dist"), { recursive: true });
  await root.remove(LATER);
  await root.remove(ID);
  expect(readdirSync(root.layout.releases)).toEqual([]);
  writeFileSync(join(root.layout.root, "file"), "");
  const broken = deployRoot(join(root.layout.root, "file"));
  await expect(broken.remove(ID)).rejects.toMatchObject({ kind: "DEPLOY_IMPOSSIBLE", body: { code: "ENOTDIR" } });
});

test("what killed deploys left is removed, and what another program put there stays", async () => {
  const root = deployRoot(temporaryFolder());
  const { releases, records, repository, current } = root.layout;
  const [recorded, full, empty] = [ID, LATER, "20261127080503-4a91c77"];
  for (const name of [recorded, join(full, "dist"), empty, ".trash-x", "mine"])
    mkdirSync(join(releases, name), { recursive: true });
  writeFileSync(join(releases, "20261127080504-4a91c77"), "a file");
  mkdirSync(records);
  for (const name of [`${recorded}.jsonl`, "a.index", "a.index.lock", "folder.tar", "owner.json"])
    writeFileSync(join(records, name), "");
  for (const name of ["refs/heads", "refs/svcm"]) mkdirSync(join(repository, name), { recursive: true });
  for (const name of ["HEAD", "packed-refs.lock", "refs/heads/main.lock", "refs/heads/main"])
    writeFileSync(join(repository, name), "");
  symlinkSync("x", `${current}.new`);
  await root.removeLeftovers();
  expect(readdirSync(releases).toSorted()).toEqual([recorded, full, "20261127080504-4a91c77", "mine"]);
  expect(readdirSync(records).toSorted()).toEqual([`${recorded}.jsonl`, "owner.json"]);
  expect(readdirSync(repository).toSorted()).toEqual(["HEAD", "refs"]);
  expect(readdirSync(join(repository, "refs/heads"))).toEqual(["main"]);
  expect(readdirSync(root.layout.root).toSorted()).toEqual(["records", "releases", "repository.git"]);
  await deployRoot(temporaryFolder()).removeLeftovers();
});

test("a release is in use by a process that works in it, and by PM2's saved list or its backup", async () => {
  const root = deployRoot(temporaryFolder());
  const { releases } = root.layout;
  const dump = join(root.layout.root, "dump.pm2");
  expect(await root.inUse([ID], dump)).toEqual(new Map());
  writeFileSync(dump, `[{"pm_cwd":"${releases}/${ID}/apps"}]`);
  writeFileSync(`${dump}.bak`, `[{"pm_cwd":"${releases}/${LATER}"}]`);
  expect(await root.inUse([ID, LATER, "x"], dump)).toEqual(
    new Map([
      [ID, []],
      [LATER, []],
    ]),
  );
  mkdirSync(join(releases, "3/dist"), { recursive: true });
  const { pid, kill } = startProcess(join(releases, "3/dist"));
  expect(await root.inUse(["3", "4"], dump)).toEqual(new Map([["3", [pid]]]));
  kill();
});

function startProcess(cwd: string): { readonly pid: number | undefined; readonly kill: () => void } {
  const child = spawn("sleep", ["60"], { cwd, stdio: "ignore" });
  return { pid: child.pid, kill: () => void child.kill("SIGKILL") };
}

test("the commit of a release is named in it only for a checkout of Capistrano, and never over a file of the commit", async () => {
  const root = deployRoot(temporaryFolder());
  const folder = join(root.layout.releases, ID);
  const checkout = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const commit = "b".repeat(40);
  await root.writeRevision(ID, commit, checkout);
  expect(existsSync(join(folder, "REVISION"))).toBe(false);
  writeFileSync(join(checkout, "REVISION"), "a".repeat(40));
  await root.writeRevision(ID, commit, checkout);
  expect(readFileSync(join(folder, "REVISION"), "utf8")).toBe(`${commit}\n`);
  await root.writeRevision(ID, "c".repeat(40), checkout);
  expect(readFileSync(join(folder, "REVISION"), "utf8")).toBe(`${commit}\n`);
});

describe("a shared path", () => {
  const share = async (
    path: string,
    isFolder?: boolean,
    prepare?: (folders: Record<"shared" | "release" | "checkout", string>) => void,
  ) => {
    const top = temporaryFolder();
    const folders = { shared: join(top, "shared"), release: join(top, "release"), checkout: join(top, "checkout") };
    for (const folder of Object.values(folders)) mkdirSync(folder);
    prepare?.(folders);
    const shared = { path, former: join(folders.checkout, path), ...(isFolder !== undefined && { isFolder }) };
    const body = await sharePaths(folders as never, folders.release, [shared]).then(
      () => undefined,
      (error: SvcmError) => error.body,
    );
    return { ...folders, body };
  };

  test("leads to its place in the checkout, and a second release to the same", async () => {
    const { shared, release, checkout } = await share(".env", false, (of) => {
      writeFileSync(join(of.checkout, ".env"), "A=1");
      writeFileSync(join(of.release, ".env"), "of the commit");
    });
    expect([readlinkSync(join(shared, ".env")), readlinkSync(join(release, ".env"))]).toEqual([
      join(checkout, ".env"),
      join(shared, ".env"),
    ]);
    expect(readFileSync(join(release, ".env"), "utf8")).toBe("A=1");
  });

  test("that is nowhere is an empty folder if it is one for output, and otherwise an error with both places", async () => {
    const { shared } = await share("logs", true);
    expect(readdirSync(join(shared, "logs"))).toEqual([]);
    const { body, shared: none, checkout } = await share("uploads");
    expect(body).toEqual({
      code: "SHARED_UNUSABLE",
      path: "uploads",
      details: `The shared path uploads is neither in ${none} nor in the checkout (${checkout}/uploads). Create it in one of them.`,
    });
  });

  test.each([true, false])(
    "whose place is gone is not replaced, and the place in the checkout is offered: %s",
    async (isThere) => {
      const { body, shared, checkout } = await share("uploads", true, (of) => {
        symlinkSync("/nowhere", join(of.shared, "uploads"));
        if (isThere) mkdirSync(join(of.checkout, "uploads"));
      });
      expect(readlinkSync(join(shared, "uploads"))).toBe("/nowhere");
      expect(body?.details).toBe(
        `The shared path uploads cannot be used, because ${shared}/uploads leads to /nowhere, which does not exist.`,
      );
      const place = isThere ? `${checkout}/uploads` : "'<the present place>'";
      expect(body?.hint).toBe(`If the checkout or the file was moved: ln -sfn ${place} ${shared}/uploads`);
    },
  );
});

test("the files of a folder without Git are those that may be data", () => {
  const folder = temporaryFolder();
  for (const name of ["node_modules/a", "logs", "data", ".npm-cache"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["node_modules/a/x.js", "logs/a.log", "data/a.db", ".npm-cache/x", "app.js"])
    writeFileSync(join(folder, name), "");
  expect(listFiles(folder).toSorted()).toEqual(["app.js", "data/a.db"]);
  writeFileSync(join(folder, "big.bin"), "version https://git-lfs.github.com/spec/v1\n");
  expect(readPointers(folder, ["big.bin", "app.js"])).toEqual(["big.bin"]);
});

test("an error of the system has its code and the path, and a defect stays one", async () => {
  const fail = (error: unknown) => attemptDeploy("/d", () => Promise.reject(error));
  await expect(fail(Object.assign(new Error("no space"), { code: "ENOSPC" }))).rejects.toMatchObject({
    kind: "DEPLOY_IMPOSSIBLE",
    body: { code: "ENOSPC", path: "/d", details: "no space" },
  });
  for (const error of [new SvcmError("NOT_FOUND"), new TypeError("x"), "text"])
    await expect(fail(error)).rejects.toBe(error);
});

test("a root that does not exist yet is named by the real path of the folder above it", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "link"));
  expect(realRoot(join(folder, "link/svcm/deploy"))).toBe(join(realRoot(folder), "real/svcm/deploy"));
  expect(realRoot("/")).toBe("/");
});

test("two deploys of a root do not run at the same time, and the second one says why", async () => {
  const root = deployRoot(join(temporaryFolder(), "new"));
  expect(await root.lockedSince()).toBeNull();
  const answer = await root.withLock(1000, async () => {
    const since = await root.lockedSince();
    const refused = await root.withLock(1, async () => "both").catch((error: SvcmError) => error);
    return { since, refused };
  });
  expect(answer.since).toBeTypeOf("number");
  expect(answer.refused).toMatchObject({
    kind: "DEPLOY_LOCKED",
    body: { details: expect.stringContaining(`A deploy or a rollback in ${root.layout.root} runs`) },
  });
  expect(mode(root.layout.root)).toBe(0o755);
  await expect(root.withLock(1000, () => Promise.reject(new TypeError("x")))).rejects.toThrow(TypeError);
});
