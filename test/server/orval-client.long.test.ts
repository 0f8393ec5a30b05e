/** orval has 318 dependencies, so it is installed only for this test. */
import { execFile } from "node:child_process";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ask, testServer } from "./support.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const ORVAL = "orval@7.13.2";
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

test("a client and validators that orval generates compile and work", { timeout: 600_000 }, async () => {
  const server = await testServer();
  const [tool, folder] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(tool, "package.json"), "{}");
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ORVAL], { cwd: tool });
  writeFileSync(join(folder, "openapi.json"), (await ask(server, "/api/openapi.json")).text);
  const output = (client: string, target: string) => ({
    input: join(folder, "openapi.json"),
    output: { client, target: join(folder, target), mode: "single" },
  });
  const config = { fetch: output("fetch", "client.ts"), zod: output("zod", "zod.ts") };
  writeFileSync(join(tool, "orval.config.cjs"), `module.exports = ${JSON.stringify(config)};`);
  await run(join(tool, "node_modules/.bin/orval"), ["--config", "orval.config.cjs"], { cwd: tool });
  copyFileSync(join(ROOT, "test/fixtures/clients/orval.ts.txt"), join(folder, "main.ts"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node", "--skipLibCheck"];
  await run(process.execPath, [TSC, ...options, "main.ts"], { cwd: folder });
  const { stdout } = await run(process.execPath, ["main.js", server.url], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({ statuses: [200, 200, 200, 200], isShape: true });
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
});
