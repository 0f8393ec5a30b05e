/** The commands of a release: what they see, what is shown of them, and how their failure is reported. */
import { describe, expect, test } from "vitest";
import { hasPresentValues } from "../../../src/core/deploy/run-commands.ts";
import type { CommandOptions, CommandResult } from "../../../src/core/deploy/port-deploys.ts";
import { CANARY, makeWorld, refusal, type World } from "./release-world.ts";

const DEPLOY = "{ install: npm ci, build: make, check: ./smoke, env: [GREETING, PORT], timeout: 90s }";
const release = { ".env.production": "PORT=3000\nGREETING=hello\n" };

test("only the build and the check see the values that deploy.env names, and no command sees those of the shell", async () => {
  const seen: Record<string, unknown> = {};
  const run = (command: unknown, { env, timeoutMs, isMarked }: CommandOptions): void =>
    void (seen[String(command)] = { env, timeoutMs, isMarked });
  const record = await makeWorld({ deploy: DEPLOY, release, run }).prepare();
  const own = { PATH: "/bin", CI: "1" };
  const limits = { timeoutMs: 90_000, isMarked: true };
  expect(seen).toEqual({
    "npm ci": { env: own, ...limits },
    make: { env: { ...own, GREETING: "hello", PORT: "3000" }, ...limits },
    "./smoke": { env: { ...own, GREETING: "hello", PORT: "3000" }, ...limits },
  });
  expect(record.values).toBe('of {"GREETING":"hello","PORT":"3000"}');
});

test("without a build and a check, no value is read, also one that is nowhere", async () => {
  const record = await makeWorld({ deploy: "{ install: npm ci, env: [NOWHERE] }" }).prepare();
  expect(record.values).toBeUndefined();
});

test("a value that no env file has ends the deploy, with the files that were read", async () => {
  const { error, calls, release: made } = await refusal({ deploy: "{ build: make, env: [PORT, A, B] }" });
  expect(error.body).toMatchObject({
    code: "DEPLOY_ENV_MISSING",
    details: expect.stringMatching(
      /^deploy\.env names A, B for the build, and no env file of production has a value\. /,
    ),
  });
  expect(error.body.details).toContain(`Files: ${made.root}/.env.production.`);
  expect(calls).not.toContain("run make");
});

test("secrets of the env files and of package registries are in no output", async () => {
  const more = "env: { production: .env.production }\nkeys:\n  API_TOKEN: { kind: secret, tier: never-exposed }\n";
  const run = (_: unknown, { onLine }: CommandOptions): void => onLine?.(`token ${CANARY} and sk-live-4711 end`);
  const world = makeWorld({
    deploy: "{ build: make }",
    more,
    release: { ".env.production": "API_TOKEN=sk-live-4711\n" },
    run,
  });
  await world.prepare();
  expect(world.output).toEqual([expect.stringMatching(/^build: token .* end$/)]);
  expect(world.reported.at(-1)).toMatch(/^ {2}token .* end$/);
  expect(JSON.stringify([world.output, world.reported])).not.toMatch(/canary|4711/);
});

describe("a command that fails", () => {
  const failing = (result: Partial<CommandResult>, lines: readonly string[] = []): World => ({
    deploy: "{ build: make, timeout: 90s }",
    run: (_command, { onLine }) => (lines.forEach((line) => onLine?.(line)), { lastLines: lines, ...result }),
  });
  const full = " The disk is full (ENOSPC).";
  const lockfile = " The lockfile does not match package.json: install in the checkout, and commit both.";
  test.each<[string, World, string, string, string]>([
    [
      "by its exit code",
      failing({ exitCode: 7 }, ["one", CANARY]),
      "DEPLOY_FAILED",
      "DEPLOY_COMMAND_FAILED",
      "ended with exit code 7.\n  one\n  ",
    ],
    [
      "by a signal",
      failing({ end: "signal", signal: "SIGKILL", exitCode: null }),
      "DEPLOY_FAILED",
      "DEPLOY_COMMAND_FAILED",
      "was ended by SIGKILL.",
    ],
    [
      "by its timeout",
      failing({ end: "timeout" }),
      "DEPLOY_FAILED",
      "DEPLOY_TIMEOUT",
      "did not finish within 90 seconds, the timeout of deploy.",
    ],
    ["by a stop", failing({ end: "aborted" }), "DEPLOY_FAILED", "DEPLOY_STOPPED", "was stopped."],
    [
      "because it is not there",
      failing({ end: "absent" }),
      "DEPLOY_FAILED",
      "DEPLOY_COMMAND_FAILED",
      "could not be started.",
    ],
    [
      "for lack of space",
      failing({ exitCode: 1 }, ["npm error ENOSPC: no space left on device"]),
      "DEPLOY_IMPOSSIBLE",
      "DEPLOY_COMMAND_FAILED",
      `ended with exit code 1.${full}`,
    ],
    [
      "for an old lockfile",
      failing({ exitCode: 1 }, ["npm error `npm ci` can only install packages when your package.json and …"]),
      "DEPLOY_FAILED",
      "DEPLOY_COMMAND_FAILED",
      `ended with exit code 1.${lockfile}`,
    ],
  ])("%s", async (_how, world, kind, code, text) => {
    const { error } = await refusal(world);
    expect(error).toMatchObject({ kind, body: { code } });
    expect(error.body.details?.startsWith(`The build (make) ${text}`)).toBe(true);
    expect(error.body.details).not.toContain(CANARY);
    expect(error.body.hint === "Free some space, and deploy again.").toBe(kind === "DEPLOY_IMPOSSIBLE");
  });

  test("ends the deploy at once", async () => {
    const { calls } = await refusal({ deploy: DEPLOY, release, run: () => ({ exitCode: 1 }) });
    expect(calls.filter((one) => one.startsWith("run"))).toEqual(["run npm ci"]);
  });
});

describe("the values of a build are still the present ones", () => {
  test.each<[string, string, string | undefined, boolean]>([
    ["if it saw none", DEPLOY, undefined, true],
    ["if the env files have the same", DEPLOY, 'of {"GREETING":"hello","PORT":"3000"}', true],
    ["not if one differs", DEPLOY, 'of {"GREETING":"good day","PORT":"3000"}', false],
    ["not if deploy.env names none any more", "{ build: make }", 'of {"PORT":"3000"}', false],
    ["not if one has no value any more", "{ build: make, env: [GONE] }", 'of {"GONE":"1"}', false],
  ])("%s", async (_when, deploy, built, expected) => {
    const made = makeWorld({ deploy, release });
    expect(await hasPresentValues(await made.context(), made.world, built)).toBe(expected);
  });
});

describe("without commands in svcm.yaml", () => {
  const ran = async (world: World): Promise<string[]> => {
    const { prepare, reported } = makeWorld(world);
    await prepare();
    return reported.filter((line) => /^(?:install|build|prune)/.test(line));
  };
  const services = (folder: string): string => `services:
  api: { folder: ${folder}, ecosystem: { production: ecosystem.config.cjs } }
`;
  const [install, prune] = ["npm ci --prefer-offline --no-audit --no-fund", "npm prune --omit=dev --ignore-scripts"];

  test("the packages of each service are installed where their lockfile is, and it is built there", async () => {
    const lines = await ran({ more: services("services/api"), lockfile: "services/api" });
    expect(lines.filter((line) => / in .*api$/.test(line))).toHaveLength(3);
    expect(lines.map((line) => line.replace(/ in .*$/, ""))).toEqual([
      `install: ${install}`,
      "build: npm run build",
      `prune: ${prune}`,
    ]);
  });

  test("without services, it is that of the whole", async () => {
    expect(await ran({})).toEqual([]);
  });
});
