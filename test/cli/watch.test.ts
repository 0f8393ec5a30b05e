/** `svcm metrics watch` in a tmux terminal, in a pipe, and with a remote service. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { hostPayload, metricsPayload } from "../../src/core/api/metrics.ts";
import { manualTelemetry, sample, withTelemetry } from "../server/socket/hand-telemetry.ts";
import { testServer } from "../server/support.ts";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hasTmux, watchTerminal as terminal, type Terminal } from "../support/watch-terminal.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const run = promisify(execFile);
const TOKEN = "a-token-of-good-length";

async function served(token?: string) {
  const telemetry = manualTelemetry();
  const env = token === undefined ? {} : { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token };
  const server = await testServer({ world: withTelemetry(telemetry), env, ...(token && { host: "0.0.0.0" }) });
  return { telemetry, url: `http://127.0.0.1:${server.port}` };
}

describe.runIf(hasTmux)("in a terminal", () => {
  test("without PM2, the host is shown, keys work, and the terminal is restored", async () => {
    const { press, shows } = await terminal("--interval 500");
    expect(await shows(/CPU .*%/)).toContain("PM2_NOT_RUNNING");
    await press("?");
    await shows(/pause or resume/);
    await press("Escape");
    await press("p");
    await shows(/PAUSED/);
    await press("q");
    const after = await shows(/ENDED 0/);
    expect(after).toMatch(/^BEFORE/);
    expect(after).toMatch(/ echo/);
    expect(after).not.toMatch(/-echo|PM2_NOT_RUNNING/);
  });

  longTest.each([
    ["Ctrl-C", async ({ press }: Terminal) => press("C-c")],
    [
      "SIGTERM",
      async ({ tmux }: Terminal) => {
        const shell = (await tmux("display-message", "-p", "#{pane_pid}")).trim();
        const { stdout } = await run("ps", ["-o", "pid=", "--ppid", shell]);
        process.kill(Number(stdout), "SIGTERM");
      },
    ],
  ])("%s restores the terminal", async (_, end) => {
    const window = await terminal("--interval 500");
    await window.shows(/PM2_NOT_RUNNING/);
    await end(window);
    const after = await window.shows(/ENDED 0/);
    expect(after).toMatch(/^BEFORE/);
    expect(after).not.toContain("PM2_NOT_RUNNING");
  });

  longTest(
    "a remote service: its samples are shown in a smaller window, and an action runs after a confirmation",
    async () => {
      const { telemetry, url } = await served();
      const window = await terminal(`--url ${url}`);
      await telemetry.watchers(1);
      telemetry.give(sample(1));
      expect(await window.shows(/dev-restapi/)).toMatch(/live · 1000 ms · 127\.0\.0\.1/);
      await window.resize(40, 12);
      const narrow = await window.shows(/^.{1,40}$\n.*…/m);
      expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
      await window.resize(100, 24);
      await window.press("Down");
      await window.shows(/> dev-restapi/);
      await window.press("X");
      await window.shows(/stop dev-restapi \(id 0\)\? y\/n/);
      await window.press("y");
      await window.shows(/stop dev-restapi \(id 0\): (?:done|PM2)/);
      await window.press("+");
      await telemetry.watching(["dev 750"]);
      await window.press("q");
      expect(await window.shows(/ENDED 0/)).toMatch(/^BEFORE\n/);
    },
  );

  longTest("if the service is unreachable, the view shows the reason", async () => {
    const window = await terminal("--url http://127.0.0.1:9");
    expect(await window.shows(/No connection to 127\.0\.0\.1:9: connect ECONNREFUSED/)).toContain("Trying again");
    await window.press("q");
    await window.shows(/ENDED 0/);
  });

  longTest.each(firstOrAll([{ TERM: "dumb" }, { CI: "true" }]))(
    "with %j there is no full screen, and no JSON",
    async (env) => {
      const { telemetry, url } = await served();
      const window = await terminal(`--url ${url} --once`, env);
      await telemetry.watchers(1);
      telemetry.give(sample(1));
      const shown = await window.shows(/ENDED 0/);
      expect(shown).toMatch(/dev-restapi/);
      expect(shown).not.toContain("{");
    },
  );

  longTest("the token comes from the environment; a wrong token is an error and does not cause a retry", async () => {
    const { telemetry, url } = await served(TOKEN);
    const right = await terminal(`--url ${url}`, { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN });
    await telemetry.watchers(1);
    telemetry.give(sample(1));
    await right.shows(/dev-restapi/);
    const wrong = await terminal(`--url ${url}`, { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "wrong" });
    expect(await wrong.shows(/ENDED 3/)).toContain("Unauthorized.");
  });

  longTest("NO_COLOR is honoured", async () => {
    const coloured = await terminal("--interval 500", { TERM: "xterm" });
    await coloured.shows(/PM2_NOT_RUNNING/);
    const colour = /\u001B\[[0-9;]*3[0-9]m/; // oxlint-disable-line no-control-regex -- a colour is one
    expect(await coloured.tmux("capture-pane", "-p", "-e")).toMatch(colour);
    const plain = await terminal("--interval 500", { NO_COLOR: "1" });
    await plain.shows(/PM2_NOT_RUNNING/);
    expect(await plain.tmux("capture-pane", "-p", "-e")).not.toMatch(colour);
  });
});

describe("in a pipe", () => {
  function piped(args: readonly string[], env: Record<string, string> = {}) {
    const home = temporaryFolder();
    const child = spawn(process.execPath, [RUN, "metrics", "watch", ...args], {
      cwd: home,
      env: plainEnvironment({ HOME: home, PM2_HOME: `${home}/pm2`, ...env }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return {
      child,
      lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
      ended: once(child, "close"),
    };
  }

  longTest("prints one JSON line for each sample until the reader closes the pipe", async () => {
    const { child, lines, ended } = piped(["--interval", "500"]);
    for (const _ of [1, 2]) {
      const { error, ...payload } = JSON.parse((await lines.next()).value);
      expect(error.code).toBe("PM2_NOT_RUNNING");
      hostPayload.parse(payload);
    }
    child.stdout.destroy();
    expect(await ended).toEqual([0, null]);
  });

  test("--once prints one line", async () => {
    const { telemetry, url } = await served();
    const { lines, ended } = piped(["--once", "--url", url]);
    await telemetry.watchers(1);
    telemetry.give(sample(1));
    expect(metricsPayload.parse(JSON.parse((await lines.next()).value))).toEqual(sample(1).payload);
    expect((await lines.next()).done).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  longTest("--once without PM2 fails as metrics show does", async () => {
    const home = temporaryFolder();
    const env = plainEnvironment({ HOME: home, PM2_HOME: `${home}/pm2` });
    const ran = (...argv: string[]) =>
      spawnSync(process.execPath, [RUN, ...argv], { cwd: home, env, encoding: "utf8" });
    const [first, show] = [ran("metrics", "watch", "--once"), ran("metrics", "show")];
    expect(first.status).toBe(3);
    expect(first.stderr).toContain("PM2_NOT_RUNNING (svcm explain PM2_NOT_RUNNING)");
    expect([first.status, first.stdout, first.stderr]).toEqual([show.status, show.stdout, show.stderr]);
  });

  const deadUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

  const toEnd = (args: readonly string[]) =>
    run(process.execPath, [RUN, "metrics", "watch", ...args], { env: plainEnvironment() }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  test("--once ends if the connection is refused, and names the address and the reason", async () => {
    const url = await deadUrl();
    const { code, stdout, stderr } = await toEnd(["--once", "--url", url]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(`No connection to ${url.slice("http://".length)}: nothing listens there (ECONNREFUSED)`);
    expect(stderr).toMatch(/\nCONNECTION_FAILED \(svcm explain CONNECTION_FAILED\)\n$/);
    const json = await toEnd(["--once", "--url", url, "--json"]);
    expect(json).toMatchObject({ code: 3, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ code: "CONNECTION_FAILED" });
  });

  longTest("without --once, it shows why the connection fails and tries again", async () => {
    const url = await deadUrl();
    const child = spawn(process.execPath, [RUN, "metrics", "watch", "--url", url], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const complaints = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
    for (const _ of [1, 2])
      expect((await complaints.next()).value).toMatch(/No connection to .*ECONNREFUSED.*Trying again/);
  });

  longTest.each(firstOrAll([404, 200, 500]))(
    "a server that answers %i is reported as not being svcm serve",
    async (status) => {
      const server = createHttpServer((_request, response) => response.writeHead(status).end("<html>")).listen(
        0,
        "127.0.0.1",
      );
      onTestFinished(() => void server.close());
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const { code, stderr } = await toEnd(["--once", "--url", `http://127.0.0.1:${port}`]);
      expect(code).toBe(3);
      expect(stderr).toContain(`A server answers at 127.0.0.1:${port}, but it is not svcm serve.`);
      expect(stderr).toContain("NOT_SVCM_SERVE (svcm explain NOT_SVCM_SERVE)");
    },
  );

  longTest.each(firstOrAll([[], ["--json"], ["--once"]]))(
    "a password in --url is never repeated %j",
    async (...more) => {
      for (const url of ["http://u:pa55word@host", "http://u:pa55word@ho st", "ftp://u:pa55word@host/x"]) {
        const { code, stdout, stderr } = await toEnd(["--url", url, ...more]);
        expect(code).toBe(2);
        expect(stdout + stderr).not.toContain("pa55word");
        expect(stdout + stderr).toContain("SVC_SERVICE_MANAGEMENT_AUTH_TOKEN".slice(0, stdout === "" ? undefined : 0));
      }
    },
  );

  test("of a remote service", async () => {
    const { telemetry, url } = await served();
    const { child, lines, ended } = piped(["--url", url, "--environment", "staging"]);
    await telemetry.watching(["staging 1000"]);
    telemetry.give(sample(1));
    expect(metricsPayload.parse(JSON.parse((await lines.next()).value))).toEqual(sample(1).payload);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await telemetry.watchers(0);
  });

  test.each([
    [["--interval", "499"], 2],
    [["--url", "nothing"], 2],
    [["--environment", "qa"], 2],
  ])("%j is wrong usage", async (args, code) => {
    const { ended } = piped(args);
    expect(await ended).toEqual([code, null]);
  });
});
