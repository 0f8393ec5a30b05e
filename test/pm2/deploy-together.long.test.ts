/** A deploy beside others and beside an apply, the limits of its commands, and sources other than a remote. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { deployPlan, execute, rolloutApply, SvcmError } from "../../src/core/index.ts";
import { waitForFile } from "../support/appeared.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2({ drainMs: 500 });
const at = (name: string): string => join(shop.own.folder, name);
const input = { environment: "production" };
let project = "";

beforeAll(async () => {
  project = readFileSync(join(shop.checkout, "svcm.yaml"), "utf8");
  await shop.deploy();
});

/** Its build ends when the test lets it. */
const waiting = (name: string): string => `
const { copyFileSync, existsSync, mkdirSync, writeFileSync } = require("node:fs");
writeFileSync(${JSON.stringify(at(`${name}-builds`))}, "");
while (!existsSync(${JSON.stringify(at(`${name}-may-end`))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
mkdirSync("dist", { recursive: true });
copyFileSync("VERSION", "dist/version.txt");
`;

test("while a deploy builds, a second one is refused, and an apply of the running release is not", async () => {
  shop.publish({ "build.cjs": waiting("first"), VERSION: "2" });
  const first = shop.deploy();
  await waitForFile(at("first-builds"));
  const [before] = await shop.ports.processes.list();
  const second = await shop.refused({ lockTimeoutMs: 50 });
  expect([second.kind, second.body.details]).toEqual([
    "DEPLOY_LOCKED",
    expect.stringContaining(`A deploy or a rollback in ${shop.root} runs: `),
  ]);
  const { release } = await execute(rolloutApply, shop.ports, { ...input, restart: ["web"] }, caller);
  expect(release).toMatchObject({ outcome: "applied" });
  const [after] = await shop.ports.processes.list();
  expect([after?.cwd, after?.pid === before?.pid, await shop.answer()]).toEqual([before?.cwd, false, "1"]);
  writeFileSync(at("first-may-end"), "");
  expect((await first).deploy).toMatchObject({ state: "done", current: true });
  expect(await shop.answer()).toBe("2");
});

test("a list runs without a shell, in the release, with a process group that ends with it", async () => {
  const left = at("left-behind");
  const check = `
const { spawn } = require("node:child_process");
const { pid } = spawn("sleep", ["1000"], { stdio: "inherit" });
require("node:fs").writeFileSync(${JSON.stringify(left)}, JSON.stringify({ pid, argv: process.argv.slice(2), cwd: process.cwd(), env: Object.keys(process.env) }));
process.exit(0);
`;
  const list = JSON.stringify(["node", "check.cjs", "$HOME; exit 9"]);
  shop.publish({ "check.cjs": check, "svcm.yaml": project.replace("deploy: {", `deploy: { check: ${list},`) });
  const { folder } = await execute(deployPlan, shop.ports, input, caller);
  const seen = JSON.parse(readFileSync(left, "utf8")) as Record<"pid" | "argv" | "cwd" | "env", unknown>;
  expect([seen.argv, seen.cwd]).toEqual([["$HOME; exit 9"], folder]);
  expect(seen.env).toContain("CI");
  expect(seen.env).not.toContain("PORT");
  const stat = `/proc/${Number(seen.pid)}/stat`;
  expect(existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ")).toBe(false);
});

test("of the output of commands, a mebibyte is kept, in the order of its lines", async () => {
  const check = 'for (let line = 0; line < 3000; line += 1) console.log(String(line).padEnd(1023, "x"));';
  shop.publish({ "check.cjs": check, "svcm.yaml": project.replace("deploy: {", 'deploy: { check: "node check.cjs",') });
  const { id } = await execute(deployPlan, shop.ports, input, caller);
  const kept = readFileSync(join(shop.root, "records", `${id}.log`), "utf8");
  expect(kept.length).toBeGreaterThan(2 ** 20 - 4096);
  expect(kept.length).toBeLessThanOrEqual(2 ** 20);
  const numbers = [...kept.matchAll(/^check: (\d+)x+$/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index));
});

test.each([
  ["a path", (origin: string) => origin],
  ["a relative path", () => "../origin.git"],
  ["a URL", (origin: string) => `file://${origin}`],
])("the source may be %s", async (what, source) => {
  const line = `deploy: { source: ${JSON.stringify(source(at("origin.git")))},`;
  const commit = shop.publish({ "svcm.yaml": project.replace("deploy: {", line), VERSION: what });
  expect(await execute(deployPlan, shop.ports, { ...input, revision: "main" }, caller)).toMatchObject({ commit });
});

test("a remote that does not exist is refused by name", async () => {
  shop.publish({ "svcm.yaml": project.replace("deploy: {", "deploy: { source: upstream,") });
  const refused = await execute(deployPlan, shop.ports, input, caller).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SvcmError);
  expect(refused).toMatchObject({ kind: "DEPLOY_IMPOSSIBLE", body: { details: expect.stringContaining("upstream") } });
});
