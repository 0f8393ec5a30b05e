/** The examples of docs/how-to/release.md are files, and this test runs them as far as the machine permits. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { GIT_ENVIRONMENT, makeRepository, type TestRepository } from "../support/git.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { mergedPullRequest, runSteps, type Workflow } from "./workflow.ts";
import { longTest } from "../support/runs.ts";

const EXAMPLES = join(REPOSITORY, "docs/examples/release");
const SYSTEMD_ANALYZE = "/usr/bin/systemd-analyze";
const example = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");
const PAGE = readFileSync(join(REPOSITORY, "docs/how-to/release.md"), "utf8");
const ecosystem = (mode: string): string =>
  `module.exports = { apps: [{ name: "api", script: "./pm2/app.cjs", env: { MODE: "${mode}", API_TOKEN: "canary-08d2" } }] };\n`;

test.each(readdirSync(EXAMPLES))("the page shows the present content of %s", (name) => {
  expect(PAGE).toContain(`\n${example(name)}\`\`\`\n`);
});

describe("the workflow", () => {
  const workflow = parse(example("plan.yml")) as Workflow;
  const { plan, comment } = workflow.jobs;

  test("gives each job only the permissions that it needs, and pins every action", () => {
    expect(workflow.permissions).toEqual({});
    expect(plan?.permissions).toEqual({ contents: "read" });
    expect(comment?.permissions).toEqual({ "pull-requests": "write" });
    const used = example("plan.yml").match(/uses: .*/g) ?? [];
    const pinned = readFileSync(join(REPOSITORY, "docs/examples/ci/deployments.yml"), "utf8");
    expect(used.filter((line) => !pinned.includes(line))).toEqual([]);
    for (const { run = "", uses = "" } of comment?.steps ?? [])
      expect([uses.includes("checkout"), /\b(?:npm|npx)\b/.test(run), run.includes("${{")]).toEqual([
        false,
        false,
        false,
      ]);
  });

  longTest("comments with the plan once, and the next push updates the comment", () => {
    const repository = mergedPullRequest("pm2/ecosystem.production.config.cjs", ecosystem("1"), ecosystem("2"));
    expect(runSteps(repository, plan?.steps ?? []).map(({ status }) => status)).toEqual([0, 0]);
    const text = repository.read("svcm-plan.md");
    expect(text).toMatch(/^### Plan for `production`: 1 to update\n\nFrom `HEAD\^1` \(`\w{10}`\) to /);
    expect(text).toContain("`env`: `MODE` changed");
    expect(text).not.toContain("canary");
    expect(repository.read("summary.md")).toBe(text);
    expect(runSteps(repository, comment?.steps ?? [])).toMatchObject([{ name: "Comment", status: 0 }]);
    expect(repository.read("comment.md")).toBe(`<!-- svcm plan -->\n${text}`);
    expect(repository.read("gh.log")).toContain("--method POST repos/o/r/issues/7/comments --field body=@comment.md");
    runSteps(repository, comment?.steps ?? [], { GH_FOUND: "42" });
    expect(repository.read("gh.log")).toContain("--method PATCH repos/o/r/issues/comments/42");
  });
});

describe("the units of systemd", () => {
  test.skipIf(!existsSync(SYSTEMD_ANALYZE))("pass systemd-analyze verify", () => {
    const folder = temporaryFolder();
    const program = join(folder, "svcm");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const here = (text: string): string =>
      text
        .replaceAll("/srv/app/node_modules/.bin/svcm", program)
        .replaceAll("/srv/app", folder)
        .replace("User=deploy", "User=root");
    for (const name of ["svcm-apply.service", "svcm-apply.timer"])
      writeFileSync(join(folder, name), here(example(name)));
    writeFileSync(join(folder, "pm2-deploy.service"), "[Service]\nExecStart=/bin/true\n");
    const units = ["svcm-apply.service", "svcm-apply.timer"].map((name) => join(folder, name));
    const { status, stdout, stderr } = spawnSync(SYSTEMD_ANALYZE, ["verify", "--man=no", ...units], {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  test("the calendar of the timer is every five minutes", () => {
    expect(example("svcm-apply.timer")).toContain("\nOnCalendar=*:0/5\n");
  });
});

describe("the commands of the service", () => {
  const own = pm2();
  beforeAll(() => own.startDaemon());
  afterAll(() => own.end());

  function deployed(): TestRepository {
    const upstream = makeRepository({
      "pm2/ecosystem.production.config.cjs": ecosystem("1"),
      "pm2/app.cjs": IDLE,
      ".gitignore": "node_modules\n",
    });
    const app = join(own.folder, "app");
    execFileSync("git", ["clone", "--quiet", upstream.root, app], { env: plainEnvironment(GIT_ENVIRONMENT) });
    const bin = join(app, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`);
    chmodSync(join(bin, "svcm"), 0o755);
    return upstream;
  }

  /** Runs the unit's commands one after another, as a oneshot service does. */
  const run = () => {
    const commands = [...example("svcm-apply.service").matchAll(/^ExecStart=(.*)$/gm)].map(([, text = ""]) => text);
    const app = join(own.folder, "app");
    const env = plainEnvironment({ ...GIT_ENVIRONMENT, HOME: own.folder, PM2_HOME: own.home });
    const last = commands.map((text) => {
      const [program = "", ...argv] = text.replaceAll("/srv/app", app).split(" ");
      return spawnSync(program, argv, { cwd: app, env, encoding: "utf8" });
    });
    return { status: last.map(({ status }) => status), answer: JSON.parse(last.at(-1)?.stdout ?? "null") };
  };

  longTest("apply what was merged, and have nothing to do the second time", async () => {
    const { processes } = own.ports();
    const upstream = deployed();
    expect(run()).toMatchObject({ status: [0, 0], answer: { release: { outcome: "applied" } } });
    const [first] = await processes.list();
    expect(first).toMatchObject({ name: "api", status: "online" });
    upstream.write("pm2/ecosystem.production.config.cjs", ecosystem("2"));
    upstream.commit("mode 2");
    expect(run()).toMatchObject({ status: [0, 0], answer: { release: { outcome: "applied" } } });
    const [second] = await processes.list();
    expect(second?.pid).not.toBe(first?.pid);
    expect(run()).toMatchObject({ status: [0, 0], answer: { release: null } });
    expect((await processes.list())[0]?.pid).toBe(second?.pid);
  });
});
