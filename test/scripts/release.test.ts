import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { noticedPackages } from "../../scripts/build/notices.ts";
import { closeSection, releaseNotes } from "../../scripts/release/changelog.ts";
import { packageBom, type Bom } from "../../scripts/release/sbom.ts";
import { runSteps, type Workflow } from "../docs/workflow.ts";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository, type TestRepository } from "../support/git.ts";
import { longTest } from "../support/runs.ts";
import { onDisk, temporaryFolder } from "../support/temporary-folder.ts";

const read = (file: string): string => readFileSync(join(REPOSITORY, file), "utf8");
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

describe("what the package contains", () => {
  const bundled = noticedPackages(read("dist/THIRD-PARTY-NOTICES.txt"));

  interface Lock {
    readonly packages: Readonly<Record<string, { version?: string; hasInstallScript?: boolean; license?: string }>>;
  }
  const { packages } = JSON.parse(read("package-lock.json")) as Lock;
  const locked = Object.entries(packages).map(([path, each]) => ({
    id: `${path.replace(/^.*node_modules\//, "")}@${each.version}`,
    ...each,
  }));

  test("is under permissive licences", () => {
    expect(bundled.size).toBeGreaterThan(50);
    expect([...bundled].filter(([, licence]) => !PERMISSIVE.has(licence))).toEqual([]);
  });

  test("is in the lockfile and has no install script", () => {
    const known = new Map(locked.map((each) => [each.id, each]));
    expect([...bundled.keys()].filter((id) => !known.has(id))).toEqual([]);
    expect([...bundled.keys()].filter((id) => known.get(id)?.hasInstallScript === true)).toEqual([]);
  });

  test("needs no package with an install script to be built, except those whose scripts package.json forbids", () => {
    const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
    const scripted = locked.filter((each) => each.hasInstallScript === true).map(({ id }) => id.replace(/@[^@]*$/, ""));
    expect(scripted.filter((name) => allowScripts[name] !== false && name !== "fsevents")).toEqual([]);
  });
});

describe("the SBOM", () => {
  const part = (name: string, version: string) => ({ "bom-ref": `${name}@${version}`, name, version, properties: [1] });
  const npm: Bom = {
    serialNumber: "urn:uuid:random",
    metadata: { timestamp: "now", component: part("folder", "1.0.0") },
    components: [part("b", "1.0.0"), part("a", "1.0.0"), part("a", "2.0.0"), part("tool", "1.0.0")],
    dependencies: [
      { ref: "a@2.0.0", dependsOn: ["b@1.0.0", "tool@1.0.0"] },
      { ref: "tool@1.0.0", dependsOn: [] },
    ],
  };

  test("lists the packages whose code the bundle has, in their versions, and nothing else", () => {
    const bom = packageBom(npm, "svcm", new Set(["a@2.0.0", "b@1.0.0"]), "then");
    expect(bom.components.map((each) => each["bom-ref"])).toEqual(["a@2.0.0", "b@1.0.0"]);
    expect(bom.dependencies).toEqual([
      { ref: "folder@1.0.0", dependsOn: ["a@2.0.0", "b@1.0.0"] },
      { ref: "a@2.0.0", dependsOn: ["b@1.0.0"] },
    ]);
    expect(bom.metadata).toMatchObject({ timestamp: "then", component: { name: "svcm" } });
    expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(packageBom({ ...npm, serialNumber: "other" }, "svcm", new Set(["a@2.0.0", "b@1.0.0"]), "then")).toEqual(bom);
  });

  test("is refused if npm does not know a package of the bundle", () => {
    expect(() => packageBom(npm, "svcm", new Set(["a@3.0.0"]), "then")).toThrow("a@3.0.0");
  });
});

describe("the release notes", () => {
  const changelog = "# Changelog\n\nWords.\n\n## Unreleased\n\n### Added\n\n- new\n\n## 0.1.0 (2026-01-31)\n\n- old\n";

  test("are the section of the version, or what is not released yet", () => {
    expect(releaseNotes(changelog)).toBe("### Added\n\n- new");
    expect(releaseNotes(changelog, "0.1.0")).toBe("- old");
    expect(releaseNotes(changelog, "0.1")).toBe("");
  });

  test("become the section of the version, below a new empty one", () => {
    const closed = closeSection(changelog, "0.2.0", "2026-11-27");
    expect(releaseNotes(closed)).toBe("");
    expect(releaseNotes(closed, "0.2.0")).toBe("### Added\n\n- new");
    expect(releaseNotes(closed, "0.1.0")).toBe("- old");
  });
});

describe("the workflows", () => {
  const workflows = ["release", "docs"].map((name): [string, string] => [name, read(`.github/workflows/${name}.yml`)]);

  test.each(workflows)("%s.yml pins actions, gives no job more than it needs, and uses no secret", (_, text) => {
    for (const line of text.match(/uses: .*/g) ?? [])
      expect(line).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const { permissions, jobs } = parse(text) as Workflow;
    expect(permissions).toEqual({});
    expect(text).not.toMatch(/secrets\.|pull_request_target|workflow_run/);
    for (const { permissions: own, steps } of Object.values(jobs)) {
      const runsOwnCode = steps.some(({ uses = "" }) => uses.startsWith("actions/checkout"));
      if (runsOwnCode) expect(own).toEqual({ contents: "read" });
      for (const { run = "" } of steps) expect(run).not.toContain("${{");
    }
  });

  test("only the job that publishes may ask for an identity, and it publishes with provenance", () => {
    const { jobs } = parse(read(".github/workflows/release.yml")) as Workflow;
    expect(jobs["publish"]?.permissions).toEqual({ contents: "write", "id-token": "write" });
    expect(JSON.stringify(jobs["publish"]?.steps)).toContain("npm publish ./svcm-*.tgz --provenance");
  });
});

/** A small repository with the scripts of a release, and a key that its workflow accepts. */
function releasable(): TestRepository {
  const pjson = {
    name: "svcm",
    version: "0.1.0",
    type: "module",
    repository: { url: "git+https://github.com/acme/svcm.git" },
  };
  const repository = makeRepository({
    "package.json": `${JSON.stringify(pjson, null, 2)}\n`,
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- new\n",
    ".gitignore": "node_modules\n",
    ".github/allowed-signers": "# none\n",
  });
  cpSync(join(REPOSITORY, "scripts/release"), repository.path("scripts/release"), { recursive: true });
  for (const file of ["scripts/release.ts", "scripts/build/notices.ts"])
    cpSync(join(REPOSITORY, file), repository.path(file));
  symlinkSync(join(REPOSITORY, "node_modules"), repository.path("node_modules"));
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", repository.path(".git/key")]);
  for (const [name, value] of [
    ["gpg.format", "ssh"],
    ["user.signingkey", repository.path(".git/key.pub")],
    ["user.name", "A"],
    ["user.email", "a@example.com"],
  ] as const)
    repository.git("config", name, value);
  repository.commit("scripts");
  return repository;
}

const runRelease = (repository: TestRepository, version: string) =>
  spawnSync(process.execPath, ["--import", "tsx", "scripts/release.ts", version], {
    cwd: repository.root,
    env: plainEnvironment(GIT_ENVIRONMENT),
    encoding: "utf8",
  });

longTest("a release closes the changelog and signs a tag, which the workflow verifies", () => {
  const repository = releasable();
  const refused = runRelease(repository, "0.2.0");
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(".github/allowed-signers has no key")]);
  repository.write(".github/allowed-signers", `a@example.com ${repository.read(".git/key.pub")}`);
  expect(runRelease(repository, "0.2.0").stderr).toContain("The work tree has changes");
  repository.commit("key");
  expect(runRelease(repository, "0.2").stderr).toContain('"0.2" is not a release. Accepted: --dry-run');
  expect(runRelease(repository, "0.2.0")).toMatchObject({ status: 0, stderr: "" });
  expect(repository.read("CHANGELOG.md")).toMatch(/## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- new\n$/);
  expect(repository.git("log", "-1", "--format=%s")).toBe("Release 0.2.0\n");
  repository.git("remote", "add", "origin", repository.root);
  const { jobs } = parse(read(".github/workflows/release.yml")) as Workflow;
  const verify = (tag: string) =>
    runSteps(repository, jobs["build"]?.steps.filter(({ name }) => name === "Verify the tag") ?? [], {
      GITHUB_REF_NAME: tag,
    });
  expect(verify("v0.2.0")).toMatchObject([{ status: 0 }]);
  repository.git("tag", "--sign", "v0.3.0", "--message", "of another version");
  repository.git("tag", "--annotate", "v0.2.1", "--message", "unsigned");
  expect(verify("v0.3.0")).toMatchObject([{ status: 1 }]);
  expect(verify("v0.2.1")).toMatchObject([{ status: 1 }]);
});

/** Copies the files that Git has of this repository. */
function clone(umask: string): string {
  const folder = temporaryFolder(undefined, onDisk());
  const files = join(folder, ".git-files");
  writeFileSync(files, execFileSync("git", ["ls-files", "-z"], { cwd: REPOSITORY }));
  execFileSync(
    "bash",
    ["-c", `umask ${umask} && xargs -0 cp --parents --no-preserve=mode -t "$0" < "${files}"`, folder],
    {
      cwd: REPOSITORY,
    },
  );
  rmSync(files);
  symlinkSync(join(REPOSITORY, ".git"), join(folder, ".git"));
  // The build looks for packages below its own folder. Hard links, unless the folder is on another disk.
  const packages = join(REPOSITORY, "node_modules");
  execFileSync("bash", [
    "-c",
    `cp -al "$0" "$1" 2>/dev/null || { rm -rf "$1" && cp -a "$0" "$1"; }`,
    packages,
    join(folder, "node_modules"),
  ]);
  return folder;
}

longTest("two releases from two folders, with other umasks and time zones, have equal bytes and a valid SBOM", () => {
  const clones = [
    { umask: "022", TZ: "UTC", folder: clone("022") },
    { umask: "077", TZ: "Asia/Tokyo", folder: clone("077") },
  ];
  const released = clones.map(({ umask, TZ, folder }) => {
    const command = `umask ${umask} && npm run --silent release -- --dry-run`;
    execFileSync("bash", ["-c", command], { cwd: folder, env: plainEnvironment({ TZ }), stdio: "pipe" });
    execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: join(folder, "release"), stdio: "pipe" });
    return join(folder, "release");
  });
  const [first = "", second = ""] = released.map((folder) => readFileSync(join(folder, "SHA256SUMS"), "utf8"));
  expect(second).toBe(first);
  expect(first.split("\n").map((line) => line.slice(66))).toEqual(["svcm-0.1.0.tgz", "sbom.cdx.json", "notes.md", ""]);
  const bom = JSON.parse(readFileSync(join(released[0] ?? "", "sbom.cdx.json"), "utf8")) as Bom;
  expect(cycloneDxErrors(bom)).toEqual([]);
  expect(cycloneDxErrors({ ...bom, components: [{ name: "x" }] })).not.toEqual([]);
  expect(bom.components.length).toBe(noticedPackages(read("dist/THIRD-PARTY-NOTICES.txt")).size);
});

function cycloneDxErrors(document: unknown): unknown[] {
  const schema = (name: string): object =>
    JSON.parse(read(`node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`)) as object;
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  for (const format of ["iri-reference", "idn-email"]) ajv.addFormat(format, true);
  ajv.addSchema(schema("spdx"), "http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json");
  ajv.addSchema(schema("jsf-0.82"), "http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json");
  const validate = ajv.compile(schema("bom-1.5"));
  return validate(document) ? [] : (validate.errors ?? []);
}
