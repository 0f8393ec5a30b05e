/** Commits, settings and repositories of which svcm makes no release, each refused by name. No PM2 process is needed. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import { deployPlan, execute, nodePorts, SvcmError } from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { firstOrAll, longTest } from "../support/runs.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const at = (name: string): string => join(shop.checkout, name);
let project = "";
let first = "";

beforeAll(() => {
  project = readFileSync(at("svcm.yaml"), "utf8");
  first = shop.git("rev-parse", "HEAD");
});
afterEach(() => {
  shop.git("reset", "--quiet", "--hard", first);
  shop.git("push", "--quiet", "--force", "origin", "main");
  // A folder of a submodule stays, and Git adds it again as one.
  for (const name of ["vendor", ".git/modules"]) rmSync(at(name), { recursive: true, force: true });
});

/** The code and the reason. */
async function refusal(more: Partial<InputOf<"deploy.plan">> = {}, ports = shop.ports): Promise<string> {
  const request = { environment: "production", ...more };
  const error = await execute(deployPlan, ports, request, caller).catch((thrown: unknown) => thrown);
  if (error instanceof SvcmError) return `${error.body.code}: ${error.body.details}`;
  throw new Error("it was prepared");
}

const declare = (from: string, to: string): void => void shop.publish({ "svcm.yaml": project.replace(from, to) });

function addSubmodule(): void {
  const other = join(shop.own.folder, "other");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: other, env: plainEnvironment(GIT_ENVIRONMENT) });
  if (!existsSync(other)) {
    mkdirSync(other);
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message", "library");
  }
  shop.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--force", other, "vendor/library");
  shop.publish({});
}

/** As Git LFS commits a file; the filter itself need not be installed. */
function addPointer(): void {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
  shop.publish({ ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "model.bin": pointer });
}

function linkReleases(): void {
  const [releases, elsewhere] = [join(shop.root, "releases"), join(shop.own.folder, "elsewhere")];
  mkdirSync(elsewhere);
  mkdirSync(shop.root, { recursive: true });
  rmSync(releases, { recursive: true, force: true });
  symlinkSync(elsewhere, releases);
  onTestFinished(() => rmSync(releases));
}

const cases: readonly [what: string, world: () => void, why: RegExp, more?: Partial<InputOf<"deploy.plan">>][] = [
  ["a submodule", addSubmodule, /^SUBMODULE_UNSUPPORTED: .*vendor\/library\. Their files would be missing/],
  ["a pointer of Git LFS", addPointer, /^LFS_MISSING: .*model\.bin\. Their files would be missing/],
  [
    "a tag and a branch of one name",
    () => {
      shop.git("push", "--quiet", "origin", "main:refs/heads/v1");
      shop.publish({ VERSION: "tagged" });
      shop.git("push", "--quiet", "origin", "main:refs/tags/v1");
    },
    /^REVISION_AMBIGUOUS: v1 is a branch at [0-9a-f]{7} and a tag at [0-9a-f]{7}/,
    { revision: "v1" },
  ],
  [
    "a commit without svcm.yaml",
    () =>
      void (shop.git("rm", "--quiet", "--cached", "svcm.yaml"),
      shop.git("commit", "--quiet", "--message", "without"),
      shop.git("push", "--quiet")),
    /^DEPLOY_NOT_COMMITTED: svcm\.yaml is in the checkout/,
  ],
  [
    "a shared path that is nowhere",
    () => declare("[uploads]", "[uploads, data/app.sqlite]"),
    /^SHARED_UNUSABLE: .*data\/app\.sqlite is neither in/,
  ],
  [
    "a shared path below a link",
    () => {
      symlinkSync("/etc", at("var"));
      declare("[uploads]", "[uploads, var/data]");
      mkdirSync(join(shop.root, "shared/var/data"), { recursive: true });
    },
    /^SHARED_UNUSABLE: .*var is not a folder there/,
  ],
  [
    "a source that runs a program",
    () => declare("deploy: {", 'deploy: { source: "ext::sh -c touch% written",'),
    /^FACT_INVALID: .*deploy\.source: "ext::sh -c touch% written" is not accepted/,
  ],
  [
    "a source that does not answer",
    () => declare("deploy: {", 'deploy: { source: "http://ann:canary@127.0.0.1:1/a.git",'),
    /^DEPLOY_FETCH_FAILED: http:\/\/(?!.*canary).*127\.0\.0\.1:1/,
  ],
  ["two lockfiles", () => void shop.publish({ "package-lock.json": "{}", "yarn.lock": "" }), /^LOCKFILE_AMBIGUOUS: /],
  [
    "a current that is a folder",
    () => mkdirSync(join(shop.root, "current"), { recursive: true }),
    /^DEPLOY_ROOT_UNUSABLE: .*is not a symbolic link/,
  ],
  [
    "releases that are a link",
    linkReleases,
    /^DEPLOY_ROOT_UNUSABLE: .*releases leads to .*elsewhere\. Accepted: a folder/,
  ],
];

test.each(firstOrAll(cases))("%s is refused by name, and no folder is left", async (_what, world, why, more) => {
  world();
  expect(await refusal(more)).toMatch(why);
  expect(existsSync(join(shop.root, "releases")) ? shop.releases() : []).toEqual([]);
  expect(existsSync(at("written"))).toBe(false);
  for (const name of ["current", "shared/var"]) rmSync(join(shop.root, name), { recursive: true, force: true });
});

longTest(
  "hooks, filters and a hostile configuration of the checkout run nothing, and GIT_DIR leads nowhere else",
  async () => {
    const marker = join(shop.own.folder, "marker");
    const program = join(shop.own.folder, "program");
    writeFileSync(program, `#!/bin/sh\ntouch ${marker}\ncat\n`, { mode: 0o755 });
    for (const [name, value] of [
      ["core.fsmonitor", program],
      ["core.hooksPath", shop.own.folder],
      ["filter.evil.smudge", program],
      ["filter.evil.clean", program],
      ["diff.external", program],
      ["core.pager", program],
      ["uploadpack.packObjectsHook", program],
      ["gpg.program", program],
      ["log.showSignature", "true"],
    ] as const)
      shop.git("config", name, value);
    for (const hook of ["post-checkout", "reference-transaction", "post-merge"])
      symlinkSync(program, join(shop.own.folder, hook));
    shop.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=", "push", "--quiet", "origin", "main");
    rmSync(marker, { force: true });
    // As in a hook of another repository.
    const foreign = {
      GIT_DIR: join(shop.own.folder, "other"),
      GIT_WORK_TREE: shop.own.folder,
      GIT_INDEX_FILE: join(shop.own.folder, "index"),
      GIT_OBJECT_DIRECTORY: join(shop.own.folder, "objects"),
      GIT_NAMESPACE: "other",
      GIT_EXTERNAL_DIFF: program,
      GIT_SSH_COMMAND: program,
      GIT_ASKPASS: program,
      SSH_ASKPASS: program,
    };
    const ports = nodePorts({ root: shop.checkout, env: { ...shop.env, ...foreign }, cwd: shop.checkout });
    const { folder, from, commits } = await execute(deployPlan, ports, { environment: "production" }, caller);
    await ports.processes.close();
    expect([readFileSync(join(folder, "VERSION"), "utf8"), from, commits]).toEqual(["1", null, null]);
    expect(existsSync(marker)).toBe(false);
  },
);

test("a repository behind ssh is fetched by the checkout's own command, which may ask nothing", async () => {
  const program = join(shop.own.folder, "ssh");
  const log = `${program}.log`;
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${log}\necho "deploy key refused" >&2\nexit 255\n`, { mode: 0o755 });
  shop.git("config", "core.sshCommand", `${program} -i key`);
  const url = shop.git("remote", "get-url", "origin");
  shop.git("remote", "set-url", "origin", "ssh://git@svcm.invalid/shop.git");
  try {
    expect(await refusal()).toContain("deploy key refused");
  } finally {
    shop.git("remote", "set-url", "origin", url);
    shop.git("config", "--unset", "core.sshCommand");
  }
  expect(readFileSync(log, "utf8")).toMatch(
    /^-i key -o BatchMode=yes .*git@svcm\.invalid git-upload-pack '\/shop\.git'/m,
  );
});

longTest("the root of another environment, or of another PM2, is not used", async () => {
  const staging = "environments: { production: [prod], staging: [] }";
  shop.publish({
    "svcm.yaml": project
      .replace("environments: { production: [prod] }", staging)
      .replace("ecosystem: {", "ecosystem: { staging: ecosystem.config.cjs,"),
  });
  await execute(deployPlan, shop.ports, { environment: "production" }, caller);
  const before = shop.releases();
  expect(await refusal({ environment: "staging" })).toMatch(
    /^DEPLOY_ROOT_TAKEN: The deploy root .* belongs to the environment production in .*; this deploy is for staging in /,
  );
  shop.publish({ "svcm.yaml": project.replace("deploy: {", `deploy: { root: ${JSON.stringify(shop.root)},`) });
  const env = { PATH: process.env["PATH"] ?? "", HOME: shop.own.folder, PM2_HOME: join(shop.own.folder, "second") };
  const ports = nodePorts({ root: shop.checkout, env: { ...env, ...GIT_ENVIRONMENT }, cwd: shop.checkout });
  expect(await refusal({}, ports)).toMatch(/^DEPLOY_ROOT_TAKEN: .*this deploy is for production in .*\/second\./);
  await ports.processes.close();
  expect(shop.releases()).toEqual(before);
});
