/** A machine at its limit of open files: any file, stream or process may be the one too many. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LIMITS = [20, 22, 24, 26];

test.skipIf(process.platform !== "linux")("no limit of open files is called a defect", () => {
  const root = temporaryFolder();
  writeFileSync(
    join(root, "svcm.yaml"),
    "version: 1\nenvironments: { dev: [] }\necosystem: { dev: ecosystem.config.js }\n",
  );
  writeFileSync(join(root, "ecosystem.config.js"), 'module.exports = { apps: [{ name: "a", script: "a.js" }] };\n');
  writeFileSync(join(root, "a.js"), "");
  const env = { ...plainEnvironment(), HOME: root, PM2_HOME: join(root, "pm2") };
  const outputs = LIMITS.flatMap((limit) =>
    ["check", "plan"].map((command) => {
      const script = `ulimit -n ${limit}; "$0" "$@" 2>&1 || true`;
      return execFileSync("/bin/sh", ["-c", script, process.execPath, RUN, command], {
        cwd: root,
        env,
        encoding: "utf8",
      });
    }),
  );
  expect(outputs.filter((output) => output.includes("EMFILE"))).not.toEqual([]);
  expect(outputs.filter((output) => output.includes("defect"))).toEqual([]);
});
