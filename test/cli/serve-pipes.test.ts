/** Named pipes in place of files that svcm reads: nothing waits for their writers. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sampleOrAll } from "../support/runs.ts";
import { serve } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PROJECT = `version: 1
environments: { dev: [] }
ecosystem: { dev: ecosystem.config.js }
env: { dev: .env }
keys: { PAGE_SIZE: { kind: integer, tier: editable } }
`;
const files: Readonly<Record<string, string>> = {
  "svcm.yaml": PROJECT,
  ".env": "PAGE_SIZE=5\n",
  "ecosystem.config.js": 'module.exports = { apps: [{ name: "api", script: "api.js" }] };\n',
  "deployments.yaml": "version: service-management.v1\n",
};
const reads = ["runtime/env", "runtime/plan", "declarations", "boot", "logs", "runtime/pm2-ecosystem"];

const pipes = ["ecosystem.config.js", "deployments.yaml", "pm2/dump.pm2", "pm2/pm2.log", ".svcm/key"];
const [ecosystem, ...independent] = pipes;
const each = pipes.map((pipe) => [pipe]);

// A plan ends at its ecosystem file. The others are read whether or not another one is a pipe.
test.each(sampleOrAll(each, [[ecosystem!], independent]).map((chosen) => ({ chosen })))(
  "svcm serve starts, answers and ends if $chosen are such pipes",
  async ({ chosen }) => {
    const root = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    execFileSync("git", ["add", "--all"], { cwd: root });
    for (const pipe of chosen) {
      mkdirSync(dirname(join(root, pipe)), { recursive: true });
      rmSync(join(root, pipe), { force: true });
      execFileSync("mkfifo", [join(root, pipe)]);
    }
    const { url, stop } = await serve({ root, env: { PM2_HOME: join(root, "pm2") } });
    for (const read of reads) {
      const response = await fetch(`${url}/api/${read}`);
      expect([read, await response.text()]).not.toEqual([read, expect.stringContaining("DEFECT")]);
    }
    expect(await stop()).toBe(0);
  },
);
