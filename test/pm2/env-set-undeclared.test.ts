/** A team that starts its app without an ecosystem file: svcm cannot know who reads an env file, and says so. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";

const { own } = runningPm2();

test("a process of the folder that no file declares may have the former value, and --restart does not claim success", async () => {
  const write = (file: string, text: string): void => writeFileSync(join(own.folder, file), text);
  write(".env", "PAGE_SIZE=20\n");
  const keys = "keys: { PAGE_SIZE: { kind: number, tier: editable } }\n";
  write("svcm.yaml", `version: 1\nenvironments: { dev: [] }\ndefault: dev\nenv: { dev: .env }\n${keys}`);
  const set = (...args: string[]) => svcm(["env", "set", ...args], { root: own.folder, env: { PM2_HOME: own.home } });
  const alone = await set("PAGE_SIZE=30", "--restart");
  expect([alone.code, alone.stdout]).toEqual([0, expect.not.stringContaining("does not know")]);
  await own.run({ name: "api", cwd: own.folder });
  const { code, stdout } = await set("PAGE_SIZE=40");
  expect(code).toBe(0);
  expect(stdout).toContain("svcm does not know which processes have the former value");
  expect(stdout).toContain("api may read the file. To restart what reads it: svcm restart <name>");
  expect((await set("PAGE_SIZE=50", "--restart")).code).toBe(3);
});
