/** A container may run svcm as a user whom its list of users does not have. */
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { RUN } from "../support/command-line.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** No user of a machine has it. */
const UID = 1_999_999_001;

test.runIf(process.getuid?.() === 0)("a command runs without a name of the user and a shell (needs root)", () => {
  const { root } = makeWorkspace({ "svcm.yaml": "version: 1\n" });
  chmodSync(root, 0o755);
  const env = { PATH: process.env["PATH"], HOME: "/", PM2_HOME: `${root}/pm2` };
  const options = { cwd: root, env, uid: UID, gid: UID, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [RUN, "ls", "--json"], options);
  expect(stderr).not.toContain("defect");
  expect(status).toBe(3);
});
