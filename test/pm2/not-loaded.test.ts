/** An ES module that a worker cannot load: PM2 swallows the error and keeps the worker online, with a real PM2. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { execute, rolloutApply } from "../../src/core/index.ts";
import { freePort } from "../support/free-port.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
const { own, ports } = runningPm2();

longTest.each([
  ["", {}],
  [" without a log", { error_file: "/dev/null", out_file: "/dev/null" }],
])(
  "an apply%s ends before the last instance that answers, and says that it could not restore the other",
  async (end, logs) => {
    const name = `api${end.length}`;
    const folder = join(own.folder, name);
    const port = await freePort();
    const server = `import http from "node:http";
http.createServer((_, response) => response.end("former")).listen(${port}, "127.0.0.1");`;
    mkdirSync(folder);
    writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms, healthyDeadline: 20s }");
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "server.js"), server);
    const cluster = { exec_mode: "cluster", instances: 2, listen_timeout: 300, ...logs };
    own.pm2Folder([{ name, script: "./server.js", cwd: folder, ...cluster }]);
    const apply = () => execute(rolloutApply, ports, { environment: "dev", allowDirty: true }, caller);
    await apply();
    const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text();
    expect(await ask()).toBe("former");
    const pids = async () => (await ports.processes.list()).flatMap((one) => (one.name === name ? [one.pid] : []));
    const before = new Set(await pids());

    writeFileSync(join(folder, "server.js"), `import "./missing.js";\n${server}`);
    await expect(apply()).rejects.toMatchObject({
      body: {
        code: "HEALTH_NOT_LOADED",
        details: expect.stringMatching(/no connection\. svcm could not restore everything\./) as string,
        failure: { errorLines: expect.arrayContaining([expect.stringContaining("ERR_MODULE_NOT_FOUND")]) as string[] },
      },
    });
    const after = await pids();
    expect(after.filter((pid) => before.has(pid))).toHaveLength(1);
    expect(await ask()).toBe("former");
  },
);
