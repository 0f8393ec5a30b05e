/** The first start of a worker whose module cannot be loaded, which PM2 keeps online, with a real PM2. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { execute, rolloutApply } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const { own, ports } = runningPm2();

describe("a first start", () => {
  const worker = (name: string, text: string, more: object = {}) => {
    const folder = join(own.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, `${name}.js`), text);
    return { name, script: `./${name}.js`, cwd: folder, exec_mode: "cluster", listen_timeout: 300, ...more };
  };
  const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
  const apply = () => execute(rolloutApply, ports, { environment: "dev", allowDirty: true }, caller);
  // Much longer than the time until the error.
  const settings = "rollout: { minHealthyTime: 10s, healthyDeadline: 20s }";

  longTest.each([
    ["has no import", "import", 'import "./missing.js"; setInterval(() => {}, 1000);', "ERR_MODULE_NOT_FOUND"],
    ["does not parse", "syntax", "const a = ;", "SyntaxError"],
    [
      "waits for what fails",
      "await",
      "await new Promise((_, fail) => setTimeout(fail, 50, new Error('no database')));",
      "no database",
    ],
    [
      "has a log of its user",
      "log",
      "const a = ;",
      "SyntaxError",
      { error_file: "logs/log.txt", out_file: "/dev/null" },
    ],
  ])("of a worker that %s fails with the lines of its error", async (_, name, text, line, more: object = {}) => {
    writeFileSync(join(own.folder, "deployments.yaml"), settings);
    own.pm2Folder([worker(name, text, more)]);
    await expect(apply()).rejects.toMatchObject({
      body: {
        code: "HEALTH_NOT_LOADED",
        details: expect.stringMatching(new RegExp(`no connection[.][^]*It wrote: .*${line}`)) as string,
      },
    });
    expect(await ports.processes.list()).toEqual([]);
  });

  longTest("of a worker that ends before PM2 gives it a log fails with the lines of its error", async () => {
    const pre = join(own.folder, "pre.cjs");
    writeFileSync(pre, 'throw new Error("no tracing");');
    own.pm2Folder([worker("early", "setInterval(() => {}, 1000);", { node_args: `--require ${pre}` })]);
    const details = expect.stringContaining("It wrote: Error: no tracing") as string;
    await expect(apply()).rejects.toMatchObject({ body: { details } });
  });

  longTest("of workers that serve or work with an error of their start is applied", async () => {
    const port = await freePort();
    writeFileSync(join(own.folder, "deployments.yaml"), settings);
    const listen = `import http from "node:http"; http.createServer().listen(${port});`;
    own.pm2Folder([
      worker("server", `${listen} new Promise((_, fail) => setTimeout(fail, 50, new Error("no cache")));`),
      worker("queue", 'console.error(new Error("start warning")); setInterval(() => {}, 1000);'),
    ]);
    await apply();
    const listed = await ports.processes.list();
    expect(listed.map(({ name, status }) => `${name} ${status}`).toSorted()).toEqual(["queue online", "server online"]);
  });
});
