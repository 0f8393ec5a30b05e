/** The examples of docs/how-to/ci.md are files, and this test runs them as far as the machine permits. */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository, type TestRepository } from "../support/git.ts";
import { mergedPullRequest, runSteps, type Workflow } from "./workflow.ts";
import { longTest } from "../support/runs.ts";

const EXAMPLES = join(REPOSITORY, "docs/examples/ci");
const example = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");
const document = (name: string): string => readFileSync(join(REPOSITORY, "test/fixtures", name), "utf8");
const GOOD = document("deployments-diff/fields/old.yaml");
const BETTER = document("deployments-diff/fields/new.yaml");
const BAD = document("deployments/targets-and-ports.yaml");
const FILE = "deployments.yaml";

test.each(readdirSync(EXAMPLES))("the page shows the present content of %s", (name) => {
  expect(readFileSync(join(REPOSITORY, "docs/how-to/ci.md"), "utf8")).toContain(`\n${example(name)}\`\`\`\n`);
});

describe("the Git hook", () => {
  const commit = (repository: TestRepository, ...more: string[]) =>
    spawnSync("git", ["commit", "--message", "x", ...more], {
      cwd: repository.root,
      env: plainEnvironment({ ...GIT_ENVIRONMENT, PATH: withoutSvcm(repository.path(".git/bin")) }),
      encoding: "utf8",
    });

  /** A PATH without a global svcm, which may be installed beside Node.js. */
  function withoutSvcm(links: string): string {
    const folders = (process.env["PATH"] ?? "").split(delimiter);
    mkdirSync(links, { recursive: true });
    const node = join(links, "node");
    if (!existsSync(node)) symlinkSync(process.execPath, node);
    return [links, ...folders.filter((folder) => !existsSync(join(folder, "svcm")))].join(delimiter);
  }

  function hookedRepository(): TestRepository {
    const repository = makeRepository({ [FILE]: GOOD, ".gitignore": "node_modules\n" });
    installSvcm(repository);
    mkdirSync(repository.path(".git/hooks"));
    copyFileSync(join(EXAMPLES, "pre-commit"), repository.path(".git/hooks/pre-commit"));
    return repository;
  }

  test("refuses an invalid document and shows the frames; a valid one is committed", () => {
    const repository = hookedRepository();
    repository.write(FILE, BAD);
    repository.git("add", FILE);
    const refused = commit(repository);
    expect(refused.status).toBe(1);
    expect(`${refused.stdout}${refused.stderr}`).toMatch(/deployments\.yaml:\d+:\d+ error .*\n +\d+ \| .*\n +\| +\^/);
    repository.write(FILE, BETTER);
    repository.git("add", FILE);
    expect(commit(repository)).toMatchObject({ status: 0 });
    expect(repository.git("show", `HEAD:${FILE}`)).toBe(BETTER);
  });

  longTest("checks the staged document, not the work tree", () => {
    const repository = hookedRepository();
    repository.write(FILE, BETTER);
    repository.git("add", FILE);
    repository.write(FILE, BAD);
    expect(commit(repository)).toMatchObject({ status: 0 });
    repository.git("add", FILE);
    repository.write(FILE, GOOD);
    expect(commit(repository)).toMatchObject({ status: 1 });
  });

  longTest("checks the content that `commit --all` and `commit <path>` would commit", () => {
    const repository = hookedRepository();
    repository.write(FILE, BAD);
    expect(commit(repository, "--all")).toMatchObject({ status: 1 });
    expect(commit(repository, "--", FILE)).toMatchObject({ status: 1 });
    repository.write(FILE, BETTER);
    expect(commit(repository, "--all")).toMatchObject({ status: 0 });
  });

  test("accepts a commit that does not touch the document, or removes it", () => {
    const repository = hookedRepository();
    repository.write(FILE, BAD);
    repository.write("other", "");
    repository.git("add", "other");
    expect(commit(repository)).toMatchObject({ status: 0 });
    repository.git("rm", "--quiet", "--cached", FILE);
    expect(commit(repository)).toMatchObject({ status: 0 });
  });

  test("refuses the commit if svcm is missing", () => {
    const repository = hookedRepository();
    repository.git("clean", "-dfxq", "node_modules");
    repository.write(FILE, BETTER);
    const refused = commit(repository, "--all");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/svcm: .*not found/)]);
  });
});

describe("the hooks of the pre-commit framework", () => {
  const [local] = (parse(example(".pre-commit-config.yaml")) as { repos: { repo: string; hooks: object[] }[] }).repos;

  test("validate with the svcm of the project, if a file of svcm is changed", () => {
    const files = String(Object(local?.hooks[0]).files);
    const shared = { id: "svcm-validate", name: "svcm validate", pass_filenames: false };
    expect(local?.repo).toBe("local");
    expect(local?.hooks).toEqual([{ ...shared, files, language: "system", entry: "npx --no-install svcm validate" }]);
    const names = [FILE, "config/runtime-contract.yaml", "config/capability-matrix.yaml", `a/${FILE}`, "x.yaml"];
    expect(names.filter((name) => new RegExp(files).test(name))).toEqual(names.slice(0, 3));
  });
});

/** A program named `svcm` in node_modules, as after an installation. */
function installSvcm(repository: TestRepository): void {
  mkdirSync(repository.path("node_modules/.bin"), { recursive: true });
  symlinkSync(RUN, repository.path("node_modules/.bin/svcm"));
  chmodSync(RUN, 0o755);
}

describe("the workflow", () => {
  const text = example("deployments.yml");
  const workflow = parse(text) as Workflow;
  const { check, report } = workflow.jobs;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("gives each job only the permissions that it needs", () => {
    expect(workflow.permissions).toEqual({});
    expect(check?.permissions).toEqual({ contents: "read" });
    expect(report?.permissions).toEqual({ "pull-requests": "write", "security-events": "write" });
    expect(
      report?.steps.some(({ uses = "", run = "" }) => uses.includes("checkout") || /\b(?:npm|npx)\b/.test(run)),
    ).toBe(false);
    expect(check?.steps[0]?.with).toMatchObject({ "persist-credentials": false });
    expect(text).not.toMatch(/pull_request_target|workflow_run|secrets\./);
  });

  test("pins every action to a commit, with its version in a comment", () => {
    const used = text.match(/uses: .*/g) ?? [];
    expect(used).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("uses no expression in a script", () => {
    for (const { run = "" } of steps) expect(run).not.toContain("${{");
  });

  longTest("runs each step as described", () => {
    const repository = mergedPullRequest(FILE, GOOD, BETTER);
    const ran = runSteps(repository, check?.steps ?? []);
    expect(ran).toMatchObject([
      { name: "Install", status: 0 },
      { name: "Validate", status: 0 },
      { name: "Write SARIF", status: 0 },
      { name: "Explain the change", status: 0, stdout: "" },
    ]);
    expect(JSON.parse(repository.read("svcm.sarif"))).toMatchObject({ version: "2.1.0", runs: [{ results: [] }] });
    expect(repository.read("summary.md")).toMatch(/^### `deployments\.yaml`: 1 changed\n\nFrom `HEAD\^1` \(`\w{10}`\)/);
    expect(repository.read("summary.md")).toBe(repository.read("svcm-diff.md"));
    expect(runSteps(repository, report?.steps ?? [])).toMatchObject([{ name: "Comment", status: 0 }]);
    expect(repository.read("gh.log")).toBe(
      [
        "api repos/o/r/issues/7/comments --paginate --jq " +
          '.[] | select(.user.type == "Bot" and (.body | startswith("<!-- svcm diff -->"))) | .id',
        "api --silent --method POST repos/o/r/issues/7/comments --field body=@comment.md",
        "",
      ].join("\n"),
    );
    expect(repository.read("comment.md")).toBe(`<!-- svcm diff -->\n${repository.read("svcm-diff.md")}`);
    runSteps(repository, report?.steps ?? [], { GH_FOUND: "42" });
    expect(repository.read("gh.log")).toContain("--method PATCH repos/o/r/issues/comments/42 --field body=@comment.md");
  });

  longTest("fails for an invalid document, annotates it, and still writes every report", () => {
    const repository = mergedPullRequest(FILE, GOOD, BAD);
    const ran = runSteps(repository, check?.steps ?? []);
    expect(ran.map(({ status }) => status)).toEqual([0, 1, 0, 0]);
    expect(ran[1]?.stdout).toMatch(/^::error file=deployments\.yaml,line=\d+,/);
    expect(JSON.parse(repository.read("svcm.sarif"))).toMatchObject({
      runs: [{ results: [{ level: "error" }, {}, {}] }],
    });
    expect(repository.read("summary.md")).toContain("The new document is not valid: 3 errors, 0 warnings.");
  });
});
