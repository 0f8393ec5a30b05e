/** `svcm env set` names the processes with the former value, and `--restart` gives them the new one. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcmProgram } from "../support/svcm.ts";

const { own } = runningPm2();

test("the next command and --restart give the processes the new value", async () => {
  const write = (file: string, text: string): void => writeFileSync(join(own.folder, file), text);
  write(".env", "PAGE_SIZE=20\n");
  write("web.cjs", `require("node:fs").writeFileSync("read", String(process.env.PAGE_SIZE));\n${IDLE}`);
  const app = `{ name: "web", script: "web.cjs", node_args: "--env-file=.env" }`;
  write("ecosystem.config.cjs", `module.exports = { apps: [${app}] };\n`);
  const keys = "keys: { PAGE_SIZE: { kind: number, tier: editable } }\nrollout: { minHealthyTime: 100ms }\n";
  const files = "ecosystem: { dev: ecosystem.config.cjs }\nenv: { dev: .env }\n";
  write("svcm.yaml", `version: 1\nenvironments: { dev: [] }\ndefault: dev\n${files}${keys}`);
  const run = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await svcmProgram(line.split(" "), {
      root: own.folder,
      env: { PM2_HOME: own.home },
    });
    expect([line, code, stderr]).toEqual([line, 0, expect.not.stringContaining("Error")]);
    return stdout;
  };
  const running = (): string => readFileSync(join(own.folder, "read"), "utf8");
  await run("apply --yes --allow-dirty");
  expect(running()).toBe("20");
  expect(await run("env set PAGE_SIZE=25")).toMatch(/^Still with the old value: web$/m);
  expect(await run("env set PAGE_SIZE=20")).toBe("Changed in .env:\n  PAGE_SIZE=20\n");
  const set = await run("env set PAGE_SIZE=30");
  expect(set).toMatch(/^Still with the old value: web$/m);
  expect(running()).toBe("20");
  const [, next = ""] = /^Next: svcm (.*)$/m.exec(set) ?? [];
  await run(next);
  expect(running()).toBe("30");
  expect(await run("env set PAGE_SIZE=40 --restart")).toMatch(/^1 app restarted: the former value is gone\.$/m);
  expect(running()).toBe("40");
});
