/** A named pipe in place of a file that svcm reads: nothing waits for its writer. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
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

test.each(["ecosystem.config.js", "deployments.yaml", "pm2/dump.pm2", "pm2/pm2.log", ".svcm/key"])(
  "svcm serve starts, answers and ends if %s is one",
  async (pipe) => {
    const root = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    execFileSync("git", ["add", "--all"], { cwd: root });
    mkdirSync(dirname(join(root, pipe)), { recursive: true });
    execFileSync("rm", ["-f", join(root, pipe)]);
    execFileSync("mkfifo", [join(root, pipe)]);
    const { url, stop } = await serve({ root, env: { PM2_HOME: join(root, "pm2") } });
    for (const read of reads) {
      const response = await fetch(`${url}/api/${read}`);
      expect([read, await response.text()]).not.toEqual([read, expect.stringContaining("DEFECT")]);
    }
    expect(await stop()).toBe(0);
  },
);
