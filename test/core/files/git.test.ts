import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitRevisions } from "../../../src/core/files/git.ts";
import { describeError } from "../../../src/core/api/errors.ts";
import { plainEnvironment } from "../../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository, type TestRepository } from "../../support/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { longTest } from "../../support/runs.ts";

const FILE = "deployments.yaml";
const MAX = 1000;

function revisionsOf(root: string, env: NodeJS.ProcessEnv = plainEnvironment(), timeoutMs = 60_000) {
  return gitRevisions({ root, env, maxBytes: MAX, timeoutMs });
}

async function textAt(repository: TestRepository, revision: string, file = FILE): Promise<string | undefined> {
  const { bytes } = await revisionsOf(repository.root).read(revision, repository.path(file));
  return bytes && Buffer.from(bytes).toString("latin1");
}

async function refusalOf(reading: Promise<unknown>) {
  const error: unknown = await reading.then(
    () => expect.unreachable("nothing was refused"),
    (reason: unknown) => reason,
  );
  const { exitCode, body } = describeError(error);
  return { exitCode, code: body.code, details: body.details };
}

test("a file is read at a revision, byte for byte", async () => {
  const bytes = "\u00ff\u0000a: 1\r\n";
  const repository = makeRepository({ [FILE]: Buffer.from(bytes, "latin1") });
  repository.git("tag", "v1");
  repository.write(FILE, "b: 2\n");
  repository.commit();
  repository.write(FILE, "c: 3\n");
  expect(await textAt(repository, "v1")).toBe(bytes);
  expect(await textAt(repository, "HEAD~1")).toBe(bytes);
  expect(await textAt(repository, "main")).toBe("b: 2\n");
  const { commit } = await revisionsOf(repository.root).read("v1^{commit}", repository.path(FILE));
  expect(commit).toBe(repository.git("rev-parse", "v1").trim());
});

longTest("a file that is missing at a revision has no bytes, also if the path is below a file", async () => {
  const repository = makeRepository({ [FILE]: "a: 1\n" });
  expect(await textAt(repository, "HEAD", "other.yaml")).toBeUndefined();
  expect(await textAt(repository, "HEAD", `${FILE}/x`)).toBeUndefined();
});

longTest("the root may be a subfolder of the work tree, and a name may look like a pattern or an option", async () => {
  const names = ["deploy*.yaml", ":(glob)x", "-x", "a b\n.yaml", "ü.yaml"];
  const repository = makeRepository(Object.fromEntries(names.map((name) => [`app/${name}`, name])));
  const revisions = revisionsOf(repository.path("app"));
  for (const name of names) {
    const { bytes } = await revisions.read("HEAD", join(repository.path("app"), name));
    expect(Buffer.from(bytes ?? []).toString("utf8")).toBe(name);
  }
});

longTest("a path that is too large, outside, or not a regular file is refused", async () => {
  const repository = makeRepository({ "folder/x": "", large: "x".repeat(MAX + 1), fits: "x".repeat(MAX) });
  symlinkSync("fits", repository.path("link"));
  repository.commit();
  const read = (file: string) => refusalOf(revisionsOf(repository.root).read("HEAD", repository.path(file)));
  expect(await read("link")).toMatchObject({ exitCode: 3, code: "ENOTREG" });
  expect(await read("folder")).toMatchObject({ exitCode: 3, code: "ENOTREG" });
  expect(await read("large")).toMatchObject({ exitCode: 3, code: "EFBIG" });
  expect(await read("../x")).toMatchObject({ exitCode: 3, code: "EOUTSIDE" });
  expect(await textAt(repository, "HEAD", "fits")).toHaveLength(MAX);
});

describe("an unknown revision is refused", () => {
  longTest.each([
    ["nope"],
    ["HEAD~99"],
    ["HEAD^{tree}"],
    [`HEAD:${FILE}`],
    ["HEAD..main"],
    ["--all"],
    ["--output=pwned"],
    ["--git-dir=/nowhere"],
    ["-h"],
    ["--upload-pack=touch pwned"],
    ["$(touch pwned)"],
    ["; touch pwned"],
    ["main\n--output=pwned"],
    ["main\u0000"],
    ["HEAD@{99 bottles"],
    ["main@{9}"],
    [":/nothing like it"],
    ["HEAD^{/["],
    [""],
    [" "],
    ["\u001b[2J"],
    ["x".repeat(2_000_000)],
  ])("%j", async (revision) => {
    const repository = makeRepository({ [FILE]: "a: 1\n" });
    const before = readdirSync(repository.root);
    const refusal = await refusalOf(revisionsOf(repository.root).read(revision, repository.path(FILE)));
    expect(refusal).toMatchObject({ exitCode: 2, code: "REVISION_NOT_FOUND" });
    expect(refusal.details).toContain("is not a revision of this repository");
    // oxlint-disable-next-line no-control-regex -- it is what must not be there
    expect(refusal.details).not.toMatch(/[\u0000-\u001F]/);
    expect(readdirSync(repository.root)).toEqual(before);
  });
});

test("a missing repository, commit or folder is reported", async () => {
  const root = temporaryFolder();
  const read = (folder: string) => refusalOf(revisionsOf(folder).read("HEAD", join(folder, FILE)));
  expect(await read(root)).toMatchObject({ exitCode: 3, code: "GIT_NO_REPOSITORY" });
  execFileSync("git", ["init", "--quiet", "fresh"], { cwd: root });
  expect(await read(join(root, "fresh"))).toMatchObject({ exitCode: 2, code: "REVISION_NOT_FOUND" });
  expect(await read(join(root, "missing"))).toMatchObject({ exitCode: 3, code: "GIT_FAILED" });
});

test("a missing git program is reported", async () => {
  const repository = makeRepository({ [FILE]: "" });
  const reading = revisionsOf(repository.root, { PATH: repository.root }).read("HEAD", repository.path(FILE));
  expect(await refusalOf(reading)).toMatchObject({ exitCode: 3, code: "GIT_NOT_FOUND" });
});

longTest("a git process that does not answer is stopped, and not called again", async () => {
  const repository = makeRepository({ [FILE]: "" });
  const bin = repository.path("bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\necho >> ${repository.path("calls")}\nexec ${process.execPath} -e 'setInterval(() => {}, 1000)'\n`,
  );
  chmodSync(join(bin, "git"), 0o755);
  const revisions = revisionsOf(repository.root, { PATH: bin }, 200);
  for (const reading of [revisions.read("HEAD", repository.path(FILE)), revisions.read("main", repository.path(FILE))])
    expect(await refusalOf(reading)).toEqual({
      exitCode: 3,
      code: "GIT_TIMEOUT",
      details: "git did not answer within 0.2 seconds.",
    });
  expect(await revisions.refusal()).toMatchObject({ code: "GIT_TIMEOUT" });
  expect(readFileSync(repository.path("calls"), "utf8")).toBe("\n\n");
});

longTest("GIT_ variables that point to another repository have no effect", async () => {
  const repository = makeRepository({ [FILE]: "mine" });
  const other = makeRepository({ [FILE]: "other" });
  const env = {
    ...plainEnvironment(),
    GIT_DIR: join(other.root, ".git"),
    GIT_WORK_TREE: other.root,
    GIT_INDEX_FILE: "/nowhere",
    GIT_OBJECT_DIRECTORY: "/nowhere",
    GIT_TRACE: repository.path("trace"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.bare",
    GIT_CONFIG_VALUE_0: "nonsense",
  };
  const { bytes } = await revisionsOf(repository.root, env).read("HEAD", repository.path(FILE));
  expect(Buffer.from(bytes ?? []).toString("utf8")).toBe("mine");
  expect(existsSync(repository.path("trace"))).toBe(false);
});

longTest("no program that the repository configures is run", async () => {
  const repository = makeRepository({ [FILE]: "a: 1\n", ".gitattributes": "* diff=evil filter=evil\n" });
  const run = `touch ${repository.path("pwned")}; cat`;
  const settings = {
    "diff.evil.textconv": run,
    "diff.evil.command": run,
    "diff.external": run,
    "filter.evil.smudge": run,
    "filter.evil.clean": run,
    "filter.evil.process": run,
    "core.fsmonitor": run,
    "core.pager": run,
    "core.sshCommand": run,
    "core.hooksPath": repository.path("hooks"),
    "alias.rev-parse": `!${run}`,
    "alias.ls-tree": `!${run}`,
    "alias.cat-file": `!${run}`,
  };
  for (const [name, value] of Object.entries(settings)) repository.git("config", name, value);
  expect(await textAt(repository, "HEAD")).toBe("a: 1\n");
  expect(existsSync(repository.path("pwned"))).toBe(false);
});

longTest("objects that a partial clone lacks are not fetched", async () => {
  const origin = makeRepository({ [FILE]: "a: 1\n" });
  origin.git("config", "uploadpack.allowFilter", "true");
  const root = join(temporaryFolder(), "clone");
  origin.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", `file://${origin.root}`, root);
  const reading = revisionsOf(root).read("HEAD", join(root, FILE));
  expect(await refusalOf(reading)).toMatchObject({ exitCode: 3, code: "GIT_FAILED" });
});

longTest.each(["removed", "truncated"])("a file whose object is %s is not reported as absent", async (how) => {
  const repository = makeRepository({ [FILE]: "a: 1\n", "other.txt": "b\n" });
  const id = repository.git("rev-parse", `HEAD:${FILE}`).trim();
  const object = repository.path(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`);
  rmSync(object, { force: true });
  if (how === "truncated") writeFileSync(object, "");
  const revisions = revisionsOf(repository.root);
  expect(await refusalOf(revisions.read("HEAD", repository.path(FILE)))).toMatchObject({ exitCode: 3 });
  expect((await revisions.read("HEAD", repository.path("other.txt"))).bytes?.toString()).toBe("b\n");
  expect((await revisions.read("HEAD", repository.path("absent.txt"))).bytes).toBeUndefined();
  expect(await refusalOf(revisions.withFiles("HEAD", () => Promise.resolve()))).toMatchObject({ code: "GIT_FAILED" });
});

test("former texts are those of the commits at the given times, of HEAD and before the last change", async () => {
  const repository = makeRepository({ [FILE]: "version: 0\n" });
  const begin = 1_700_000_000;
  for (const version of [1, 2, 3, 4]) {
    repository.write(FILE, `version: ${version}\n`);
    const date = `${begin + version * 60} +0000`;
    repository.git("add", "--all");
    execFileSync("git", ["commit", "--quiet", "--message", `v${version}`], {
      cwd: repository.root,
      env: plainEnvironment({ ...GIT_ENVIRONMENT, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date }),
    });
  }
  const textsAt = async (...seconds: number[]) => {
    const times = seconds.map((second) => (begin + second) * 1000);
    const texts = await revisionsOf(repository.root).formerTexts([repository.path(FILE)], times);
    return texts.map((text) => Number(text.trim().at(-1))).toSorted((a, b) => a - b);
  };
  expect(await textsAt()).toEqual([3, 4]);
  expect(await textsAt(60)).toEqual([1, 3, 4]);
  expect(await textsAt(119, 120)).toEqual([1, 2, 3, 4]);
  expect(await textsAt(1e6)).toEqual([3, 4]);
});
