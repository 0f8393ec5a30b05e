import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { longTest, sampleOrAll } from "../support/runs.ts";
import { svcm } from "../support/svcm.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";

const DEV = `${CONFIG_FOLDER}/.env.dev`;
const STAGING = `${CONFIG_FOLDER}/.env.staging`;
const document = (name: string): string =>
  readFileSync(new URL(`../fixtures/deployments/${name}`, import.meta.url), "utf8");
const ecosystems = new URL("../fixtures/ecosystem/repository/", import.meta.url);
const ecosystem = Object.fromEntries(
  readdirSync(ecosystems, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?:pm2|build)\/./.test(file))
    .map((file) => [file, readFileSync(new URL(file, ecosystems), "utf8")]),
);
const files = {
  ...ecosystem,
  "deployments.yaml": document("targets-and-ports.yaml"),
  "good.yaml": document("good.yaml"),
  "unreadable.yaml": document("duplicate-key.yaml"),
  "legacy.json": document("legacy.json"),
  [DEV]: GOOD_ENV,
  [STAGING]: GOOD_ENV.replace("express", "fastify").replace("=no", "=yes"),
};

const IN_GOOD_FILE = ["--file", "good.yaml"];
const IN_NEW_FILE = ["--file", "new.yaml"];
const EDGE = ["--name", "edge", "--deploy-target", "lambda", "--runtime", "nodejs22.x", "--region", "eu-central-1"];
const EVENTS = [
  "--type=sse",
  "--framework=express",
  "--entrypoint=src/interface/e.ts",
  "--controller=EventController.all",
];

/** One row for each use of a command. Each is run as text and as JSON, and both outputs are snapshots. */
const uses: readonly { readonly args: readonly string[]; readonly code: number }[] = [
  { args: ["env", "get"], code: 0 },
  { args: ["env", "get", "SVC_HTTP_FRAMEWORK", "--environment", "staging"], code: 0 },
  { args: ["env", "get", "SVC_HTTP_FRAMEWORK", "SVC_REALTIME_API"], code: 0 },
  { args: ["env", "get", "SVC_REDIS_PASSWORD"], code: 1 },
  { args: ["env", "get", "SVC_HTTP_FRAMEWROK"], code: 1 },
  { args: ["env", "get", "-e", "production"], code: 2 },
  { args: ["env", "get", "-e", "ci"], code: 3 },
  {
    args: ["env", "set", "SVC_HTTP_FRAMEWORK=fastify", "SVC_REALTIME_API_DATABASE_DRIVER=MS SQL", "--dry-run"],
    code: 0,
  },
  { args: ["env", "set", "SVC_HTTP_FRAMEWORK=restify"], code: 0 },
  { args: ["env", "set", "SVC_HTTP_FRAMEWORK=express"], code: 0 },
  { args: ["env", "set", "SVC_HTTP_FRAMEWORK=derby", "SVC_REALTIME_API=maybe"], code: 1 },
  { args: ["env", "set", "SVC_REDIS_PASSWORD=x", "SVC_DATABASE_NAME=y", "SVC_HTTP_FRAMEWROK=express"], code: 1 },
  { args: ["env", "set", "SVC_HTTP_FRAMEWORK"], code: 2 },
  { args: ["env", "set", "SVC_REALTIME_API=yes", "SVC_REALTIME_API=no"], code: 2 },
  { args: ["env", "set"], code: 2 },
  { args: ["env", "unset", "SVC_WEBSOCKET_REDIS_URL"], code: 0 },
  { args: ["env", "unset", "SVC_HTTP_FRAMEWORK", "SVC_REDIS_HOST", "FOO"], code: 1 },
  { args: ["env", "unset"], code: 2 },
  { args: ["logs", "rotate", "--dry-run"], code: 2 },
  { args: ["logs", "rotate", "--max-size", "5G"], code: 2 },
  { args: ["logs", "rotate", "--max-size", "50M"], code: 0 },
  { args: ["logs", "prune"], code: 2 },
  { args: ["logs", "prune", "--dry-run"], code: 0 },
  { args: ["env", "export"], code: 0 },
  { args: ["env", "export", "--format", "docker"], code: 0 },
  { args: ["env", "export", "--all"], code: 2 },
  { args: ["env", "template"], code: 0 },
  { args: ["env", "template", "--check"], code: 3 },
  { args: ["env", "edit", "-e", "ci"], code: 2 },
  { args: ["env", "diff", "dev", "staging"], code: 0 },
  { args: ["env", "diff", "dev", "staging", "--exit-code"], code: 1 },
  { args: ["env", "diff", "dev", "development", "--exit-code", "--all"], code: 0 },
  { args: ["env", "diff", "dev"], code: 2 },
  { args: ["env", "check"], code: 0 },
  { args: ["env", "profile", "list"], code: 0 },
  { args: ["env", "profile", "show", "websocket-rest-cluster"], code: 0 },
  { args: ["env", "profile", "show", "websocket-rest"], code: 2 },
  { args: ["env", "profile", "apply", "websocket-rest-cluster", "--dry-run"], code: 0 },
  { args: ["env", "profile", "apply", "grpc-rest", "-e", "staging"], code: 0 },
  { args: ["env", "profile", "apply", "websocket-rest-multi-host"], code: 1 },
  { args: ["env", "profile", "apply"], code: 2 },
  { args: ["startup", "check", "rest"], code: 0 },
  { args: ["startup", "check", "websocket", "-e", "staging"], code: 0 },
  { args: ["startup", "check", "grpc"], code: 1 },
  { args: ["startup", "check", "graphql"], code: 2 },
  { args: ["boot"], code: 0 },
  { args: ["boot", "save"], code: 3 },
  { args: ["boot", "disable"], code: 0 },
  { args: ["daemon", "renew", "--return"], code: 3 },
  { args: ["boot", "enable", "--user", "no-such-user"], code: 2 },
  { args: ["metrics", "show"], code: 3 },
  { args: ["metrics", "show", "-e", "moon"], code: 2 },
  { args: ["metrics", "watch", "--once", "-e", "moon"], code: 2 },
  { args: ["metrics", "watch", "--interval", "499"], code: 2 },
  { args: ["metrics", "watch", "--url", "nothing"], code: 2 },
  { args: ["metrics", "watch", "dev"], code: 2 },
  { args: ["ecosystem", "drift"], code: 3 },
  { args: ["ecosystem", "show"], code: 0 },
  { args: ["ecosystem", "show", "-e", "prod", "--service-kind", "rest-api"], code: 0 },
  { args: ["ecosystem", "show", "-e", "ci", "--service-kind", "rest-api"], code: 0 },
  { args: ["ecosystem", "show", "-e", "qa"], code: 2 },
  { args: ["ecosystem", "show", "--service-kind", "rest"], code: 2 },
  { args: ["ecosystem", "check"], code: 0 },
  { args: ["ecosystem", "check", "-e", "staging"], code: 1 },
  { args: ["ecosystem", "check", "-e", "production"], code: 1 },
  { args: ["ecosystem", "check", "-e", "test"], code: 1 },
  { args: ["ecosystem", "check", "-e", "test", "--allow-missing"], code: 0 },
  { args: ["validate"], code: 1 },
  { args: ["validate", "--file", "good.yaml"], code: 0 },
  { args: ["validate", "--file", "missing.yaml"], code: 3 },
  { args: ["validate", "--format", "github"], code: 1 },
  { args: ["validate", "--format", "sarif"], code: 1 },
  { args: ["validate", "--format", "html"], code: 2 },
  { args: ["targets", "validate"], code: 1 },
  { args: ["targets", "list"], code: 0 },
  { args: ["targets", "list", "--file", "unreadable.yaml"], code: 3 },
  { args: ["config", "validate"], code: 1 },
  { args: ["interfaces", "validate"], code: 0 },
  // The temporary folder is not a Git repository; diff.test.ts covers repositories.
  { args: ["diff"], code: 3 },
  { args: ["diff", "--format", "html"], code: 2 },
  { args: ["targets", "add", "--name", "qa", "--deploy-target", "dedicated-server", "--runtime", "node22"], code: 0 },
  { args: ["targets", "add", ...IN_NEW_FILE, "--name", "qa", "--deploy-target", "vm", "--runtime", "node22"], code: 1 },
  { args: ["targets", "add", "--dry-run", ...IN_NEW_FILE, ...EDGE], code: 0 },
  { args: ["targets", "add", ...IN_NEW_FILE, ...EDGE], code: 0 },
  { args: ["targets", "add"], code: 1 },
  { args: ["targets", "edit", "STAGING", ...IN_GOOD_FILE, "--runtime", "node24", "--region", "rack-9"], code: 0 },
  { args: ["targets", "edit", "staging", ...IN_GOOD_FILE, "--deploy-target", "lambda"], code: 1 },
  { args: ["targets", "edit", "staging", ...IN_GOOD_FILE, "--clear", "colour"], code: 1 },
  { args: ["targets", "edit", "stagin", ...IN_GOOD_FILE, "--region", "eu"], code: 2 },
  { args: ["targets", "edit", "api"], code: 2 },
  { args: ["targets", "edit", "api", "--region", "eu", "--clear", "region"], code: 2 },
  { args: ["targets", "edit", "a", "--region", "eu", "--file", "unreadable.yaml"], code: 1 },
  { args: ["targets", "edit", "old", "--region", "eu", "--file", "legacy.json", "--dry-run"], code: 0 },
  { args: ["targets", "duplicate", "staging", ...IN_GOOD_FILE], code: 0 },
  { args: ["targets", "duplicate", "staging", ...IN_GOOD_FILE, "--name", "STAGING"], code: 1 },
  { args: ["targets", "remove", "staging", ...IN_GOOD_FILE], code: 0 },
  { args: ["targets", "remove", "api", "--file", "missing.yaml"], code: 3 },
  { args: ["interfaces", "list"], code: 0 },
  { args: ["interfaces", "add", ...IN_NEW_FILE, ...EVENTS], code: 0 },
  { args: ["interfaces", "add", "--type", "websocket", "--framework", "express"], code: 1 },
  { args: ["interfaces", "edit", "1", ...IN_GOOD_FILE, "--framework", "fastify"], code: 0 },
  { args: ["interfaces", "edit", "9", ...IN_GOOD_FILE, "--framework", "fastify"], code: 2 },
  { args: ["interfaces", "edit", "1"], code: 2 },
  { args: ["interfaces", "remove", "1", ...IN_GOOD_FILE, "--dry-run"], code: 0 },
  { args: ["config", "show"], code: 0 },
  { args: ["config", "set", ...IN_GOOD_FILE, "ports.rest=3100"], code: 0 },
  { args: ["config", "set", ...IN_GOOD_FILE, "runMode=functions", "ports.rest=0"], code: 1 },
  { args: ["config", "set"], code: 2 },
  { args: ["migrate", "--file", "legacy.json"], code: 0 },
  { args: ["migrate", "--file", "legacy.json", "--check"], code: 1 },
  { args: ["migrate", ...IN_GOOD_FILE, "--check"], code: 0 },
  { args: ["explain", "target_profile_misplaced"], code: 0 },
  { args: ["explain", "TARGET_PROFILE"], code: 2 },
  { args: ["audit"], code: 0 },
  { args: ["audit", "--limit", "0"], code: 2 },
  { args: ["audit", "--calls"], code: 0 },
  { args: ["approve"], code: 0 },
  { args: ["approve", "KR4TQ2WB"], code: 3 },
  { args: ["deny", "KR4TQ2WB"], code: 2 },
  { args: ["deny"], code: 2 },
  { args: ["skill"], code: 0 },
  { args: ["audit", "--since", "yesterday"], code: 2 },
  { args: ["audit", "orders", "--since", "24h", "--outcome", "refused"], code: 0 },
  // The facts of svcm doctor depend on this machine: see doctor.test.ts.
  { args: ["doctor", "--format", "html"], code: 2 },
  { args: ["keys", "list"], code: 0 },
  { args: ["keys", "confirm", "--all"], code: 1 },
  { args: ["keys", "set-tier", "editable"], code: 2 },
  { args: ["keys", "set-tier", "open", "SVC_HTTP_FRAMEWORK"], code: 2 },
  { args: ["process", "list"], code: 3 },
  { args: ["process", "start", "restapi"], code: 3 },
  { args: ["process", "start", "restapi", "--ecosystem", "-e", "staging"], code: 3 },
  { args: ["process", "start"], code: 2 },
  { args: ["process", "stop", "--namespace", "backend"], code: 2 },
  { args: ["process", "restart", "restapi", "-e", "dev"], code: 2 },
  { args: ["matrix", "show"], code: 0 },
  { args: ["schema", "runtime-contract"], code: 0 },
  { args: ["schema", "nothing"], code: 2 },
];

/** The first use of each command with each exit code. */
const sample = uses.filter(({ args, code }, index) => index === uses.findIndex((use) => isSimilar(use, args, code)));

function isSimilar(use: (typeof uses)[number], [topic, verb]: readonly string[], code: number): boolean {
  return use.code === code && use.args[0] === topic && use.args[1] === verb;
}

describe("every way to use a command", () => {
  test.each(sampleOrAll(uses, sample))("svcm $args exits $code", async ({ args, code }) => {
    const { root } = makeWorkspace(files);
    const asText = await svcm(args, { root });
    expect(asText.code, asText.stderr).toBe(code);
    const second = makeWorkspace(files);
    const asJson = await svcm([...args, "--json"], { root: second.root });
    expect([asJson.code, asJson.stderr]).toEqual([code, ""]);
    const json: unknown = JSON.parse(asJson.stdout);
    const shown = [
      `$ svcm ${args.join(" ")}\n${asText.stdout}${asText.stderr}[exit ${asText.code}]`,
      `$ svcm ${args.join(" ")} --json\n${JSON.stringify(json, null, 2)}`,
    ].join("\n\n");
    const stable = shown
      .replaceAll(root, "<root>")
      .replaceAll(second.root, "<root>")
      .replaceAll(/"workers": \d+/g, '"workers": "<cores>"');
    expect(stable).not.toContain("\u001B");
    const name = args
      .join(" ")
      .replaceAll(/[^\w=]+/g, "-")
      .slice(0, 80);
    await expect(`${stable}\n`).toMatchFileSnapshot(`../fixtures/cli/${name}.txt`);
  });
});

test("svcm schema deployments prints the file that editors are given", async () => {
  const { stdout } = await svcm(["schema", "deployments"], { root: makeWorkspace(files).root });
  expect(stdout).toBe(
    readFileSync(new URL("../../schemas/service-management.v1.schema.json", import.meta.url), "utf8"),
  );
});

longTest("without PM2, svcm metrics watch --once fails as metrics show does", async () => {
  const { root } = makeWorkspace(files);
  const watch = (...args: string[]) => svcm(["metrics", "watch", ...args], { root });
  const shown = await Promise.all([watch("--once"), watch("--once", "--json")]);
  expect(shown.map(({ code }) => code)).toEqual([3, 3]);
  expect(shown[0].stderr).toMatch(/^Error: No PM2 daemon runs.*\nPM2_NOT_RUNNING \(svcm explain PM2_NOT_RUNNING\)\n$/s);
  expect(JSON.parse(shown[1].stdout)).toEqual(JSON.parse((await svcm(["metrics", "show", "--json"], { root })).stdout));
  const { code, stdout } = await watch("--help");
  expect(code).toBe(0);
  for (const flag of ["--environment=<name>", "--interval=<ms>", "--once", "--url=<url>", "--json"])
    expect(stdout).toContain(flag);
});

describe("a write from the command line", () => {
  test("shows in the file, in the audit log, and in the next read", async () => {
    const workspace = makeWorkspace(files);
    const { root } = workspace;
    await svcm(["env", "set", "SVC_HTTP_FRAMEWORK=loopback", "-e", "staging"], { root });
    expect(workspace.read(STAGING)).toBe(files[STAGING]?.replace("fastify", "loopback"));
    expect(workspace.read(DEV)).toBe(GOOD_ENV);
    const { stdout } = await svcm(["env", "get", "SVC_HTTP_FRAMEWORK", "-e", "staging"], { root });
    expect(stdout).toBe("loopback\n");
    const audit = JSON.parse((await svcm(["audit", "--json"], { root })).stdout) as { records: unknown[] };
    expect(audit.records).toMatchObject([
      {
        action: "env.write",
        environment: "staging",
        keys: ["SVC_HTTP_FRAMEWORK"],
        source: "cli",
        outcome: "succeeded",
      },
    ]);
    expect(workspace.read(".svcm/.gitignore")).toBe("*\n");
  });

  test("works from a folder below the root", async () => {
    const workspace = makeWorkspace({ ...files, "deployments.yaml": "" });
    const { code } = await svcm(["env", "set", "SVC_HTTP_FRAMEWORK=feathers"], {
      root: workspace.path("apps/backend-template"),
    });
    expect(code).toBe(0);
    expect(workspace.read(DEV)).toContain("SVC_HTTP_FRAMEWORK=feathers");
  });

  longTest("applies the repository's own runtime contract, and refuses an invalid one with its position", async () => {
    const { stdout: schema } = await svcm(["schema", "runtime-contract"], { root: makeWorkspace(files).root });
    expect(JSON.parse(schema)).toMatchObject({ title: "svcm runtime contract" });
    const own = new URL("../../config/runtime-contract.yaml", import.meta.url);
    const text = readFileSync(own, "utf8");
    const allowing = makeWorkspace({
      ...files,
      "config/runtime-contract.yaml": text.replace("- total-js", "- total-js\n      - koa"),
    });
    expect((await svcm(["env", "set", "SVC_HTTP_FRAMEWORK=koa"], { root: allowing.root })).code).toBe(0);
    const broken = makeWorkspace({
      ...files,
      "config/runtime-contract.yaml": text.replace("default: express", "default: expres"),
    });
    const refused = await svcm(["env", "get"], { root: broken.root });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(
      /config\/runtime-contract\.yaml:\d+:\d+ error "expres" is not known; accepted: express/,
    );
  });
});
