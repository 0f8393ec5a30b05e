/** Git between the checkout, its source and the repository of a deploy root. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deployGit, runGit } from "../../../src/core/deploy/machine/git.ts";
import type { Source } from "../../../src/core/deploy/port-deploy-git.ts";
import { plainEnvironment } from "../../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository } from "../../support/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const OPTIONS = { timeoutMs: 60_000 };
const env = plainEnvironment(GIT_ENVIRONMENT);

test("a repository of a root has what the source has, and keeps the commits of its releases", async () => {
  const checkout = makeRepository({ "app.js": "1" });
  const { root } = checkout;
  const first = checkout.git("rev-parse", "HEAD").trim();
  checkout.write("app.js", "2");
  checkout.commit("second\n\nbody");
  const second = checkout.git("rev-parse", "HEAD").trim();
  checkout.git("tag", "-a", "v1", "-m", "one");
  const repository = join(temporaryFolder(), "d/repository.git");
  const own = deployGit({ root, repository, env });
  const source: Source = { kind: "path", url: root, settings: [] };
  expect(await own.defaultBranch(source, OPTIONS)).toBe("main");
  await own.fetch(source, OPTIONS);
  expect(own.isShallow()).toBe(false);
  const resolve = async (name: string): Promise<string | undefined> => await own.resolve("repository", name);
  expect(await resolve("refs/heads/main")).toBe(second);
  // A tag is a separate object, and a tree is not a commit.
  expect(await resolve("v1")).toBe(second);
  expect(await Promise.all(["main^{tree}", "nowhere", "--all", "", "a\nb", "x".repeat(1001)].map(resolve))).toEqual(
    Array.from({ length: 6 }),
  );
  expect(await own.resolve("checkout", "HEAD")).toBe(second);
  expect(await own.listBetween(first, second)).toEqual([{ commit: second, subject: "second" }]);
  expect(await own.listBetween(second, first)).toEqual([]);
  expect(await own.readCommit(second)).toEqual({ subject: "second", submodules: [], lfsCandidates: [] });
  await own.keep(
    new Map([
      ["1", first],
      ["2", second],
    ]),
  );
  await own.keep(new Map([["2", second]]));
  expect(
    await runGit({ root, repository, env }, ["for-each-ref", "--format=%(refname) %(objectname)", "refs/svcm/"]),
  ).toBe(`refs/svcm/2 ${second}\n`);
  const folder = temporaryFolder();
  await own.write(first, folder, join(folder, "../index"));
  expect(readFileSync(join(folder, "app.js"), "utf8")).toBe("1");
  expect(existsSync(join(folder, "../index"))).toBe(false);
});

test("submodules and files that may be pointers of LFS are found in the commit", async () => {
  const big = "x".repeat(1025);
  const checkout = makeRepository({
    "lib/.gitattributes": "*.bin filter=lfs",
    "a.bin": "x".repeat(1024),
    "big.bin": big,
  });
  const { root } = checkout;
  checkout.git("update-index", "--add", "--cacheinfo", `160000,${checkout.git("rev-parse", "HEAD").trim()},vendor`);
  symlinkSync("a.bin", join(root, "link"));
  checkout.git("add", "link");
  checkout.git("commit", "--quiet", "--message", "x".repeat(300));
  const own = deployGit({ root, repository: join(root, ".git"), env });
  const { subject, submodules, lfsCandidates } = await own.readCommit(checkout.git("rev-parse", "HEAD").trim());
  expect([subject.length, submodules, lfsCandidates]).toEqual([200, ["vendor"], ["a.bin", "lib/.gitattributes"]]);
});

test("the checkout has its remotes, the branch that it follows, and the settings that its remotes need", async () => {
  const checkout = makeRepository({ "packages/api/app.js": "" });
  const { root } = checkout;
  const own = (path = root) => deployGit({ root: path, repository: join(root, "d"), env }).readCheckout();
  const none = { urls: new Map(), upstream: undefined, settings: [] };
  expect(await own()).toEqual({ top: root, prefix: "", ...none });
  checkout.git("remote", "add", "origin", "https://host/a.git");
  checkout.git("config", "branch.main.remote", "origin");
  expect((await own()).upstream).toBeUndefined();
  checkout.git("config", "branch.main.merge", "refs/heads/live");
  checkout.git("config", "http.proxy", "http://proxy:1");
  checkout.git("config", "core.pager", "less");
  expect(await own(join(root, "packages/api"))).toEqual({
    top: root,
    prefix: "packages/api/",
    urls: new Map([["origin", "https://host/a.git"]]),
    upstream: { remote: "origin", branch: "live" },
    settings: [["http.proxy", "http://proxy:1"]],
  });
  checkout.git("checkout", "--quiet", "--detach");
  expect((await own()).upstream).toBeUndefined();
});

test("files that Git does not have are one path for a folder, unless a setting names one below it", async () => {
  const { root } = makeRepository({ ".gitignore": "*.log\n", "app.js": "" });
  for (const path of ["data/a.db", "data/b.db", "x.log", "cache/x"]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  const own = deployGit({ root, repository: join(root, ".git"), env });
  const others = async (detailed: readonly string[]) =>
    (await own.listOthers(detailed)).filter((path) => path !== "apps/").toSorted();
  expect(await others([])).toEqual(["cache/", "data/", "x.log"]);
  expect(await others(["data/a.db"])).toEqual(["cache/", "data/a.db", "data/b.db", "x.log"]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "app.js"), "");
  expect(await deployGit({ root: folder, repository: folder, env }).listOthers([])).toEqual(["app.js"]);
});

describe("Git of this deploy", () => {
  /** A `git` that prints its environment, or fails with these lines. */
  const fake = (script: string) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const hostile = { GIT_DIR: "/evil", GIT_CONFIG_GLOBAL: "/evil", SSH_ASKPASS: "/evil", A: "1" };
    return {
      root: folder,
      repository: folder,
      env: { ...hostile, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` },
    };
  };
  const source = (settings: Source["settings"] = []): Source => ({
    kind: "url",
    url: "https://ann:canary@host/a",
    settings,
  });

  test("takes nothing from the variables of a hook, asks nothing, and has the settings of the checkout", async () => {
    const text = await runGit(fake("env"), ["fetch"], {
      source: source([
        ["http.proxy", "http://proxy:1"],
        ["core.sshcommand", "ssh -i old"],
        ["core.sshcommand", "ssh -i key"],
      ]),
    });
    const seen = new Map(text.split("\n").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
    expect(text).not.toContain("/evil");
    expect(Object.fromEntries(seen)).toMatchObject({
      A: "1",
      LC_ALL: "C",
      GIT_TERMINAL_PROMPT: "0",
      GIT_SSH_COMMAND: "ssh -i key -o BatchMode=yes",
      GIT_CONFIG_KEY_0: "http.proxy",
      GIT_CONFIG_VALUE_0: "http://proxy:1",
      GIT_CONFIG_KEY_1: "core.hooksPath",
      GIT_CONFIG_VALUE_1: "/dev/null",
    });
    expect(seen.get(`GIT_CONFIG_KEY_${Number(seen.get("GIT_CONFIG_COUNT")) - 1}`)).toBe("filter.lfs.required");
  });

  test.each([
    [
      "the source cannot be reached",
      "echo 'fatal: https://ann:canary@host/a: no route' >&2; exit 128",
      true,
      "DEPLOY_FETCH_FAILED",
      /could not be fetched: .*host\/a: no route$/,
    ],
    ["it has no words", "exit 1", true, "DEPLOY_FETCH_FAILED", /could not be fetched: git gave no reason\.$/],
    ["it fails in its own repository", "echo 'error: bad object' >&2; exit 1", false, "GIT_FAILED", /^bad object$/],
    [
      "the files do not fit",
      "echo 'error: No space left on device' >&2; exit 1",
      false,
      "DEPLOY_NO_SPACE",
      /^Git has no space left/,
    ],
    [
      "it cannot write a file, though there is room",
      "echo 'error: unable to write file a' >&2; exit 1",
      false,
      "GIT_FAILED",
      /^unable to write file a$/,
    ],
  ])("says why if %s", async (_when, script, isRemote, code, details) => {
    const error = await runGit(fake(script), ["x"], isRemote ? { source: source() } : {}).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ kind: "DEPLOY_IMPOSSIBLE", body: { code, details: expect.stringMatching(details) } });
    expect(JSON.stringify(error)).not.toContain("canary");
  });

  test("says that it was stopped, or for how long it waited", async () => {
    const place = fake("exec sleep 60");
    const stopped = runGit(place, ["x"], {
      source: source(),
      options: { timeoutMs: 60_000, signal: AbortSignal.abort() },
    });
    await expect(stopped).rejects.toMatchObject({
      kind: "DEPLOY_FAILED",
      body: {
        code: "DEPLOY_STOPPED",
        details: expect.stringMatching(/^It was stopped while git asked https:.*host\/a\.$/),
      },
    });
    const late = runGit(place, ["x"], { options: { timeoutMs: 20 } });
    await expect(late).rejects.toMatchObject({
      body: { code: "GIT_FAILED", details: "git did not finish within 0.02 seconds." },
    });
  });
});
