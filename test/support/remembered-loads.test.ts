import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../src/core/index.ts";
import { rememberLoads } from "./remembered-loads.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("an ecosystem file runs again after a change beside it, and only then", async () => {
  const root = temporaryFolder();
  const outside = temporaryFolder();
  const [path, runs] = [join(root, "pm2/e.config.cjs"), join(outside, "runs")];
  const at = (name: string): string => join(root, name);
  mkdirSync(at("pm2"));
  const declare = (name: string): void =>
    writeFileSync(
      path,
      `require("node:fs").appendFileSync(${JSON.stringify(runs)}, "x");
      module.exports = { apps: [{ name: "${name}", script: "./app.cjs", node_args: "--env-file=.env" }] };`,
    );
  const { ecosystems } = rememberLoads(nodePorts({ root, env: { PM2_HOME: at(".pm2") }, cwd: root }));
  const load = async (purpose?: "judge") => {
    const before = readFileSync(runs, "utf8").length;
    const { apps } = await ecosystems.load(path, undefined, purpose);
    const { hasScript, envFiles } = apps[0]!.places;
    const ran = readFileSync(runs, "utf8").length - before;
    return [apps[0]!.fields["name"], hasScript, envFiles.map(({ exists }) => exists), ran];
  };
  writeFileSync(runs, "");
  declare("web");
  expect(await load()).toEqual(["web", false, [false], 1]);
  expect(await load()).toEqual(["web", false, [false], 0]);
  expect(await load("judge")).toEqual(["web", false, [false], 1]);
  writeFileSync(at("app.cjs"), "");
  expect(await load()).toEqual(["web", true, [false], 1]);
  writeFileSync(at(".env"), "A=1");
  expect(await load()).toEqual(["web", true, [true], 1]);
  for (const change of [
    () => declare("api"),
    () => appendFileSync(at("app.cjs"), "1"),
    () => chmodSync(at("app.cjs"), 0o700),
  ]) {
    change();
    expect(await load()).toEqual(["api", true, [true], 1]);
    expect(await load()).toEqual(["api", true, [true], 0]);
  }
  rmSync(at("app.cjs"));
  expect(await load()).toEqual(["api", false, [true], 1]);
  // A module from afar may change without a trace in the folder.
  writeFileSync(join(outside, "name.cjs"), 'module.exports = "far";');
  const far = `require(${JSON.stringify(join(outside, "name.cjs"))})`;
  writeFileSync(path, `module.exports = { apps: [{ name: ${far}, script: "./app.cjs" }] };`);
  expect((await load())[0]).toBe("far");
  writeFileSync(join(outside, "name.cjs"), 'module.exports = "other";');
  expect((await load())[0]).toBe("other");
  writeFileSync(path, "throw 1;");
  await expect(load()).rejects.toMatchObject({ code: "ECOSYSTEM_FILE_THREW" });
  await expect(load()).rejects.toMatchObject({ code: "ECOSYSTEM_FILE_THREW" });
});
