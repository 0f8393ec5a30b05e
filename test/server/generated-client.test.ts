import { execFile } from "node:child_process";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import openapiTypescript, { astToString } from "openapi-typescript";
import { expect } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ask, testServer } from "./support.ts";
import { longTest } from "../support/runs.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

longTest("openapi-typescript and openapi-fetch: typed calls of every kind", async () => {
  const server = await testServer();
  const folder = temporaryFolder();
  const { text } = await ask(server, "/api/openapi.json");
  writeFileSync(join(folder, "paths.ts"), astToString(await openapiTypescript(text)));
  copyFileSync(join(ROOT, "test/fixtures/clients/fetch.ts.txt"), join(folder, "client.ts"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node", "--skipLibCheck"];
  await run(process.execPath, [TSC, ...options, "client.ts"], { cwd: folder });
  const { stdout } = await run(process.execPath, ["client.js", server.url], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    framework: "express",
    changed: ["SVC_HTTP_FRAMEWORK"],
    problem: "Invalid payload.",
    isValid: false,
    outcomes: ["refused", "succeeded"],
    isText: true,
    status: "ok",
  });
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
});
