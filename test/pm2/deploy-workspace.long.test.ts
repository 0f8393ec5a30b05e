/** One service of an npm workspace, with a TypeScript build, a package of the workspace, and no build of the whole. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { execute, rolloutRollback } from "../../src/core/index.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2({ npm: "of the machine" });
const at = (name: string): string => join(shop.checkout, name);
/** The one of svcm, so that nothing is downloaded. */
const COMPILER = `#!/usr/bin/env node\nrequire(${JSON.stringify(join(REPOSITORY, "node_modules/typescript/lib/tsc.js"))});`;
const TSCONFIG = { compilerOptions: { outDir: "dist", module: "commonjs", target: "es2022", types: [] } };

const SERVICE = `
import { greet } from "@shop/words";
declare const process: any, require: any;
require("node:http").createServer((_: unknown, response: any) => response.end(greet("1"))).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** As the package manager writes them. */
function write(files: Readonly<Record<string, string | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

beforeAll(() => {
  const project = readFileSync(at("svcm.yaml"), "utf8");
  write({
    "package.json": { name: "shop", private: true, workspaces: ["packages/*"] },
    "packages/words/package.json": { name: "@shop/words", version: "1.0.0", main: "index.js", types: "index.d.ts" },
    "packages/words/index.js": "exports.greet = (who) => `hello ${who}`;",
    "packages/words/index.d.ts": "export function greet(who: string): string;",
    // Another member of the workspace does not concern the service.
    "packages/site/package.json": { name: "@shop/site", version: "1.0.0", scripts: { build: "exit 9" } },
    "packages/api/package.json": {
      name: "@shop/api",
      version: "1.0.0",
      scripts: { build: "tsc" },
      dependencies: { "@shop/words": "1.0.0" },
      devDependencies: { compiler: "file:../../tools/compiler" },
    },
    "tools/compiler/package.json": { name: "compiler", version: "1.0.0", bin: { tsc: "tsc.js" } },
    "tools/compiler/tsc.js": COMPILER,
    "packages/api/tsconfig.json": TSCONFIG,
    "packages/api/main.ts": SERVICE,
    "packages/api/ecosystem.config.cjs": `module.exports = { apps: [{ name: "api", script: "./dist/main.js", cwd: __dirname, pmx: false, exec_mode: "cluster", env: { PORT: "${shop.port()}" } }] };`,
    "svcm.yaml": project
      .replace("ecosystem: {", "folder: packages/api\necosystem: {")
      .replace("shared: [uploads], ", ""),
    ".gitignore": "node_modules\ndist\n.env*\nuploads\n",
  });
  renameSync(at(".env.production"), at("packages/api/.env.production"));
  for (const name of ["app.cjs", "build.cjs", "ecosystem.config.cjs"]) rmSync(at(name));
  execFileSync("npm", ["install", "--package-lock-only", "--offline", "--no-audit"], {
    cwd: shop.checkout,
    env: { ...process.env, HOME: shop.own.folder },
    stdio: ["ignore", "ignore", "inherit"],
  });
  chmodSync(at("tools/compiler/tsc.js"), 0o755);
});

test("the service is installed and built from the root's lockfile, and a second commit and a rollback follow", async () => {
  shop.publish({});
  const { deploy } = await shop.deploy();
  const folder = join(shop.root, "releases", deploy.id);
  expect(await shop.answer()).toBe("hello 1");
  expect(await shop.ports.processes.list()).toMatchObject([{ name: "api", cwd: join(folder, "packages/api") }]);
  expect(["@shop/words", "compiler"].map((name) => existsSync(join(folder, "node_modules", name)))).toEqual([
    true,
    false,
  ]);
  write({ "packages/api/main.ts": SERVICE.replace('"1"', '"2"') });
  shop.publish({});
  await shop.deploy();
  expect(await shop.answer()).toBe("hello 2");
  await execute(rolloutRollback, shop.ports, {}, caller);
  expect([await shop.answer(), shop.current()]).toEqual(["hello 1", deploy.id]);
});

test("a build that fails names the package, and nothing that runs was touched", async () => {
  const before = shop.current();
  write({ "packages/api/main.ts": SERVICE.replace("@shop/words", "@shop/absent") });
  shop.publish({});
  const { body } = await shop.refused();
  expect(body.details).toMatch(
    /^The build \(npm run build in packages\/api\) ended with exit code \d+\.[^]*TS2307: Cannot find module '@shop\/absent'/,
  );
  expect([await shop.answer(), shop.current()]).toEqual(["hello 1", before]);
});

test("a service without a build lacks its script, and the refusal says what a release has", async () => {
  const text = readFileSync(at("packages/api/package.json"), "utf8").replace('"build"', '"compile"');
  write({ "packages/api/package.json": text });
  shop.publish({});
  const { body } = await shop.refused();
  expect([body.code, body.details]).toEqual([
    "DEPLOY_CHECK_FAILED",
    expect.stringMatching(/ECOSYSTEM_SCRIPT_MISSING: api: /),
  ]);
  expect(body.hint).toBe(
    "A release has what is committed and what its build writes, the script build of package.json. Name another command as deploy.build in svcm.yaml.",
  );
});
