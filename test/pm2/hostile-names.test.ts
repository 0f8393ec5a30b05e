/** Names that would control a terminal, in PM2, in files, in documents and in arguments. No command prints one raw. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";

const world = pm2();
const CLEAR = "\u001B[2J\u001B[31mclear";
const TITLE = "\u001B]0;title\u0007";
const C1 = "\u009B2Jc1";
const BIDI = "a\u202Eb\u2066c\u2028d";
const NAMES = [CLEAR, TITLE, C1, BIDI];
/** Characters that control a terminal: C0 except line feeds, C1, direction marks, other line ends, and noncharacters. */
const STEERING = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF]/u;

const run = (...argv: string[]) => svcm(argv, { root: world.folder, env: { PM2_HOME: world.home } });

beforeAll(async () => {
  await world.startDaemon();
  for (const name of NAMES) await world.run({ name, namespace: BIDI });
  world.pm2Folder(NAMES.map((name) => ({ name, script: "idle.cjs", env: { [`K${CLEAR}`]: BIDI } })));
  writeFileSync(join(world.folder, "idle.cjs"), IDLE);
  const text = JSON.stringify(`n${BIDI}${C1}${CLEAR}`);
  writeFileSync(
    join(world.folder, "deployments.yaml"),
    [
      "serviceConfiguration: { serviceKind: rest-api, runMode: dedicated-server, cloudProvider: self-hosted,",
      `  ports: { rest: 3000 }, staticAssetsPath: ${text} }`,
      `interfaces: [{ type: sse, framework: ${text}, entrypoint: ${text}, controller: ${text} }]`,
      `deployments: [{ name: ${text}, region: ${text}, runtime: ${text}, deployTarget: lambda, ${text}: 1 }]`,
      "",
    ].join("\n"),
  );
});

afterAll(() => world.end());

const commands: readonly string[][] = [
  ["process", "list"],
  ["process", "list", "-o", "wide"],
  ["process", "list", "-o", "name"],
  ["process", "restart", ...NAMES],
  ["process", "start", ...NAMES],
  ["process", "stop", CLEAR, TITLE],
  ["process", "stop", "--namespace", BIDI],
  ["process", "start", "nothing"],
  ["process", "start", C1, "--ecosystem"],
  ["process", "start", `${C1}x`, "--ecosystem"],
  ["audit"],
  ["audit", BIDI],
  ["metrics", "show"],
  ["metrics", "show", "-e", BIDI],
  ["metrics", "watch", "--url", BIDI],
  ["ecosystem", "show"],
  ["ecosystem", "check"],
  ["ecosystem", "drift"],
  ["validate"],
  ["validate", BIDI],
  ["validate", "--format", "github"],
  ["targets", "list"],
  ["targets", "edit", BIDI, "--region", CLEAR],
  ["targets", "remove", CLEAR],
  ["interfaces", "list"],
  ["config", "show"],
  ["config", "set", `${BIDI}=${CLEAR}`],
  ["env", "get", CLEAR],
  ["env", "set", `${C1}=${TITLE}`],
  ["env", "set", BIDI],
  ["env", "diff", CLEAR, C1],
  ["env", "profile", "show", BIDI],
  ["env", "check", "-e", TITLE],
  ["startup", "check", BIDI],
  ["diff", CLEAR],
  ["explain", C1],
  ["schema", BIDI],
  ["serve", "--port", CLEAR],
  [BIDI, CLEAR],
  ["help", CLEAR],
  ["validate", `--${C1}`],
  ["validate", "--root", TITLE],
];

/** Of each kind of output: tables, results, errors, findings and help. */
const SAMPLE = commands.filter((_, index) => index % 6 === 0);

test.each(sampleOrAll(commands, SAMPLE).map((argv) => [argv]))("%j", async (argv) => {
  const text = await run(...argv);
  expect(text.stdout + text.stderr).not.toMatch(STEERING);
  expect((text.stdout + text.stderr).length).toBeGreaterThan(0);
});

longTest.each(commands.map((argv) => [[...argv, "--json"]]))("%j", async (argv) => {
  expect((await run(...argv)).stdout).not.toMatch(STEERING);
});

test("JSON holds the names exactly", async () => {
  const { stdout } = await run("process", "list", "--json");
  const { processes } = JSON.parse(stdout) as { processes: { name: string }[] };
  expect(processes.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
});
