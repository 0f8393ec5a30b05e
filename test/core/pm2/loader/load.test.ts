import type { EcosystemLoader } from "../../../../src/core/pm2/ports.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadOnce } from "../../../../src/core/pm2/ecosystem-file.ts";
import { ecosystemLoader } from "../../../../src/core/pm2/loader/index.ts";

import { temporaryFolder } from "../../../support/temporary-folder.ts";

function loaderIn(root: string): EcosystemLoader {
  return ecosystemLoader({ root, env: { PATH: process.env["PATH"] } });
}

async function namesOf(loader: EcosystemLoader, path: string): Promise<unknown[]> {
  return (await loader.load(path)).apps.map(({ fields }) => fields["name"]);
}

test.each([
  ["x.config.cjs", 'module.exports = { apps: [{ name: "a", script: "a.js" }] };'],
  ["x.config.js", 'module.exports = { apps: { name: "a", script: "a.js" } };'],
  ["x.config.mjs", 'export const apps = [{ name: "a", script: "a.js" }];'],
  ["x.config.mjs", 'export default { apps: [{ name: "a", script: "a.js" }] };'],
  ["x.config.cjs", 'module.exports = { pm2: [{ name: "a", script: "a.js" }] };'],
  ["x.config.cjs", 'module.exports = [{ name: "a", script: "a.js" }];'],
  ["x.config.cjs", 'module.exports = { name: "a", script: "a.js" };'],
  ["x.config.cjs", 'module.exports = () => {}; module.exports.apps = [{ name: "a", script: "a.js" }];'],
  ["x.config.cjs", 'module.exports = class { static pm2 = [{ name: "a", script: "a.js" }] };'],
  ["x.config.json", '{ "apps": [{ "name": "a", "script": "a.js" }] }'],
  ["x.config.json", '{ apps: [{ name: "a", /* as PM2 reads it */ script: "a.js", }] }'],
  ["x.config.yaml", "apps:\n  - name: a\n    script: a.js\n"],
  ["x.config.yml", "base: &base { name: a }\napps:\n  - <<: *base\n    script: a.js\n"],
])("%s: %s", async (name, text) => {
  const root = temporaryFolder();
  writeFileSync(join(root, name), text);
  expect(await namesOf(loaderIn(root), join(root, name))).toEqual(["a"]);
});

test.each(["() => ({ apps: [] })", "async () => ({ apps: [] })", "class {}"])(
  "%s without a list is refused, because PM2 does not call it",
  async (text) => {
    const path = join(temporaryFolder(), "x.config.cjs");
    writeFileSync(path, `module.exports = ${text};`);
    await expect(namesOf(loaderIn(join(path, "..")), path)).rejects.toMatchObject({
      code: "ECOSYSTEM_EXPORT_INVALID",
      message: expect.stringContaining('it exports a function; expected an object with "apps"') as string,
    });
  },
);

test("the file sees the command of PM2 that would start it", async () => {
  const path = join(temporaryFolder(), "x.config.cjs");
  writeFileSync(path, 'module.exports = { apps: [{ name: process.argv.slice(2).join(" "), script: "a.js" }] };');
  const loader = loaderIn(join(path, ".."));
  const names = async (...how: [purpose?: "read" | "repeat", env?: string]) =>
    (await loader.load(path, undefined, ...how)).apps.map(({ fields }) => fields["name"]);
  expect(await names()).toEqual([`start ${path}`]);
  expect(await names("repeat", "production")).toEqual([`start ${path} --env production`]);
  const once = loadOnce(loader);
  const shared = async (env?: string) => (await once.load(path, undefined, "read", env)).apps[0]?.fields["name"];
  expect([await shared(), await shared("a"), await shared("b")]).toEqual([
    `start ${path}`,
    `start ${path} --env a`,
    `start ${path} --env b`,
  ]);
});

test("a file that fails runs once for each name, and one that does not read the command once for all", async () => {
  const root = temporaryFolder();
  const [path, log] = [join(root, "x.config.cjs"), join(root, "runs")];
  const runs = async (text: string) => {
    writeFileSync(log, "");
    writeFileSync(path, `require("fs").appendFileSync(${JSON.stringify(log)}, "x");${text}`);
    const once = loadOnce(loaderIn(root));
    const load = (env?: string) => once.load(path, undefined, "read", env).catch(() => "failed");
    await Promise.all([load("production"), load("production"), load("staging")]);
    return readFileSync(log, "utf8");
  };
  expect(await runs("throw new Error();")).toBe("xx");
  expect(await runs("module.exports = { apps: [] };")).toBe("x");
});

test("each load runs the file and the modules that it requires again", async () => {
  const root = temporaryFolder();
  const [file, nested] = [join(root, "x.config.cjs"), join(root, "nested.cjs")];
  const loader = loaderIn(root);
  writeFileSync(file, 'module.exports = { apps: [{ name: require("./nested.cjs"), script: "a.js" }] };');
  for (const name of ["one", "two", "three"]) {
    writeFileSync(nested, `module.exports = ${JSON.stringify(name)};`);
    expect(await namesOf(loader, file)).toEqual([name]);
  }
  writeFileSync(file, 'module.exports = { apps: [{ name: "four", script: "a.js" }] };');
  expect(await namesOf(loader, file)).toEqual(["four"]);
});

test("concurrent loads share a run: one runs, the others wait", async () => {
  const root = temporaryFolder();
  const [file, log] = [join(root, "x.config.cjs"), join(root, "runs")];
  writeFileSync(file, `require("fs").appendFileSync(${JSON.stringify(log)}, "x"); module.exports = { apps: [] };`);
  const loader = loaderIn(root);
  await Promise.all(Array.from({ length: 50 }, () => loader.load(file)));
  expect(readFileSync(log, "utf8")).toBe("xx");
});
