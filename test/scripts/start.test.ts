import { execFile } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pm2Home } from "../../scripts/backend/pm2.ts";
import { moveToFreePorts, startableCheckout, takenOf } from "../support/checkout.ts";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { listenAt } from "../support/free-port.ts";
import { runPage } from "../docs/run-page.ts";
import { endProcesses, pidsOf } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const LISTENERS = 5;
/** The address of a socket has at most 107 bytes. */
const MAX_SOCKET_BYTES = 107;

describe("npm start and npm stop", () => {
  let root: string;
  let ports: Awaited<ReturnType<typeof moveToFreePorts>>;

  beforeAll(async () => {
    root = mkdtempSync(join(realpathSync(tmpdir()), "svcm-start-"));
    startableCheckout(root);
    ports = await moveToFreePorts(root);
  });
  afterAll(() => {
    endProcesses(pm2Home(root));
    rmSync(root, { recursive: true, force: true });
  });

  const npm = (script: string): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      execFile("npm", [script, "--silent"], { cwd: root, env: plainEnvironment() }, (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      });
    });
  const healthPid = async (): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${ports.restapi}/health`);
    return ((await answer.json()) as { pid: number }).pid;
  };
  const expectNothing = async (): Promise<void> => {
    expect(pidsOf(pm2Home(root))).toEqual([]);
    expect(existsSync(pm2Home(root))).toBe(false);
    expect(await takenOf(ports)).toEqual([]);
  };

  test("a stop without a start is not an error", async () => {
    expect(await npm("stop")).toEqual({ code: 0, stdout: "The reference backend was not running.\n", stderr: "" });
    await expectNothing();
  });

  longTest("if a port is taken, the error names it, and nothing is left running", async () => {
    const other = await listenAt(ports.grpcapi);
    const { code, stdout, stderr } = await npm("start");
    await new Promise((closed) => other.close(closed));
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: expect.not.stringContaining("runs under a PM2") as string,
      stderr: `Port ${ports.grpcapi} is taken. It is "grpcapi" in pm2/ports.json; give it another one there.\nNothing is left running.\n`,
    });
    await expectNothing();
  });

  longTest("if an app cannot start, the error has the reason, and nothing is left running", async () => {
    const file = join(root, "apps/backend-template/src/config/.env.dev");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace("FRAMEWORK=express", "FRAMEWORK=koa"));
    const { code, stderr } = await npm("start");
    expect(code).toBe(1);
    expect(stderr).toMatch(/dev-restapi is \w[\w ]+:\n(?:.*\n)*.*SVC_HTTP_FRAMEWORK: unsupported value "koa"/);
    expect(stderr).toContain("Nothing is left running.");
    await expectNothing();
    writeFileSync(file, before);
  });

  longTest("a start starts everything", async () => {
    const { code, stdout, stderr } = await npm("start");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const port of Object.values(ports)) expect(stdout).toContain(`127.0.0.1:${port}`);
    expect(await takenOf(ports)).toHaveLength(LISTENERS);
  });

  longTest("a second start replaces all of it", async () => {
    const [pids, pid] = [pidsOf(pm2Home(root)).length, await healthPid()];
    expect(await npm("start")).toMatchObject({ code: 0, stderr: "" });
    expect(await healthPid()).not.toBe(pid);
    expect(pidsOf(pm2Home(root))).toHaveLength(pids);
  });

  const runAsPrinted = (page: string): Promise<string[]> => {
    const path = join(root, "path");
    if (!existsSync(path)) {
      mkdirSync(path);
      symlinkSync(join(root, "bin/run.js"), join(path, "svcm"));
    }
    const env = plainEnvironment({ PATH: `${path}:${process.env["PATH"] ?? ""}` });
    return runPage(page, { root, state: mkdtempSync(join(root, "state-")), env, ports: { 3000: ports.restapi } });
  };

  longTest("the commands of the tutorial run as printed", async () => {
    expect(await runAsPrinted(readFileSync(join(REPOSITORY, "docs/reference-backend/tutorial.md"), "utf8"))).toEqual(
      [],
    );
  });

  longTest("the backend's README switches a framework as printed", async () => {
    const readme = readFileSync(join(REPOSITORY, "apps/backend-template/README.md"), "utf8");
    const [, section = ""] = readme.split("## Switch frameworks and drivers\n");
    expect(await runAsPrinted(section.split("\n## ")[0] ?? "")).toEqual([]);
    const health = await fetch(`http://127.0.0.1:${ports.restapi}/health`);
    expect(await health.json()).toMatchObject({ entrypoint: "rest", framework: "fastify" });
  });

  longTest("a stop prints what it stopped, and leaves nothing behind", async () => {
    const { code, stdout, stderr } = await npm("stop");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const kind of ["restapi", "websocketapi", "grpcapi", "service-management"]) {
      expect(stdout).toContain(`dev-${kind}`);
    }
    expect(stdout).toMatch(/^Stopped dev-.*, and the PM2 that ran them\.$/m);
    await expectNothing();
  });
});

test("the path of PM2's home is short enough for a socket, even in a deeply nested checkout", () => {
  const deep = `/srv/${"d".repeat(120)}`;
  for (const root of ["/srv/app", deep, `${deep}/${"e".repeat(100)}`]) {
    expect(Buffer.byteLength(join(pm2Home(root), "interactor.sock"))).toBeLessThanOrEqual(MAX_SOCKET_BYTES);
  }
  expect(pm2Home("/srv/app")).toBe("/srv/app/.svcm/pm2");
  expect(pm2Home(deep)).toMatch(new RegExp(`^${homedir()}/\\.svcm/pm2-[0-9a-f]{12}$`));
  expect(pm2Home(deep)).not.toBe(pm2Home(`${deep}2`));
});
