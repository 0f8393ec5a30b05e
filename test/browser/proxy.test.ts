/// <reference lib="dom" />
/** The console behind real TLS reverse proxies, with the configurations of the documentation. */
import { request } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { openConsole, type OpenedConsole } from "../console/open-console.ts";
import { ENV, testServer, type TestServer } from "../server/support.ts";
import { freePort } from "../support/free-port.ts";
import { firstOrAll } from "../support/runs.ts";
import { PROXY_HOST, proxies } from "./proxies.ts";
import { hasBrowser, useBrowser } from "./support.ts";

const browser = useBrowser();
const TOKEN = "a-token-of-good-length";

interface Behind {
  readonly server: TestServer;
  readonly url: string;
  readonly port: number;
}

describe.each(firstOrAll(proxies))("behind $name (needs it, openssl and a browser)", ({ isInstalled, start }) => {
  const isPossible = isInstalled && hasBrowser;

  async function behind(path: string, env: Record<string, string> = {}): Promise<Behind> {
    const port = await freePort();
    const url = `https://${PROXY_HOST}:${port}${path}`;
    const server = await testServer({
      env: { PM2_HOME: "/nowhere/pm2", SVC_SERVICE_MANAGEMENT_PUBLIC_URL: url, ...env },
    });
    start({ port, servicePort: server.port, path });
    return { server, url, port };
  }

  async function save({ page, field, button }: OpenedConsole): Promise<void> {
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
  }

  test.skipIf(!isPossible).each(firstOrAll([{ path: "/svcm" }, { path: "" }]))(
    "at $path/ the page, its files, the API and the WebSocket work, and a save arrives",
    async ({ path }) => {
      const { server, url } = await behind(path);
      const opened = await openConsole(browser, url);
      await opened.page.getByText("The processes of PM2 cannot be read").waitFor();
      // On a busy machine, the page may have connected again.
      const addresses = new Set(opened.sockets.map((socket) => socket.url()));
      expect([...addresses]).toEqual([`${url.replace("https:", "wss:")}/api/runtime/pm2-ws`]);
      await opened.tab("Runtime environment").click();
      await save(opened);
      expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
      expect(opened.requests.map((one) => one.url()).filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
      expect(server.log.join("")).not.toContain("refused");
    },
  );

  test.skipIf(!isPossible)("under a path, the path without its trailing slash leads to the page", async () => {
    const { url } = await behind("/svcm");
    const page = await browser().newPage({ ignoreHTTPSErrors: true });
    onTestFinished(() => page.close());
    await page.goto(url);
    await page.getByRole("heading", { name: "Monitoring" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/svcm/");
  });

  test.skipIf(!isPossible)("a foreign Origin is refused, over HTTP and as a WebSocket", async () => {
    const { server, port } = await behind("/svcm");
    const before = server.text();
    const foreign = ["https://evil.example", `https://${PROXY_HOST}`, `http://127.0.0.1:${server.port}`, "null"];
    for (const origin of foreign) {
      expect(await postStatus(port, `/svcm${ENV}`, origin)).toBe(403);
      expect(await socketStatus(port, "/svcm/api/runtime/pm2-ws", origin)).toBe(403);
    }
    expect(server.text()).toBe(before);
    const own = `https://${PROXY_HOST}:${port}`;
    expect(await socketStatus(port, "/svcm/api/runtime/pm2-ws", own)).toBe(101);
    expect(await postStatus(port, `/svcm${ENV}`, own)).toBe(200);
  });

  test.skipIf(!isPossible)("with a token, the page asks for it, then shows and saves the environment", async () => {
    const { server, url } = await behind("/svcm", { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN });
    const opened = await openConsole(browser, url, { tab: "environment", beginsWith: "dialog", mayFail: true });
    await opened.field("Token").fill(TOKEN);
    await opened.button("Continue").click();
    await save(opened);
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
  });
});

const asProxied = (port: number, origin: string) => ({
  host: "127.0.0.1",
  port,
  servername: PROXY_HOST,
  rejectUnauthorized: false,
  headers: { host: `${PROXY_HOST}:${port}`, origin },
});

function postStatus(port: number, path: string, origin: string): Promise<number | undefined> {
  const { headers, ...rest } = asProxied(port, origin);
  const options = { ...rest, path, method: "POST", headers: { ...headers, "content-type": "application/json" } };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, agent: false }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode));
    });
    outgoing.once("error", reject);
    outgoing.end('{"values":{"SVC_HTTP_FRAMEWORK":"restify"}}');
  });
}

function socketStatus(port: number, path: string, origin: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = asProxied(port, origin);
    const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, options);
    let status: number | undefined;
    socket.once("open", () => {
      socket.once("close", () => resolve(101));
      socket.close();
    });
    socket.once("unexpected-response", (_request, { statusCode }) => {
      status = statusCode;
      socket.terminate();
    });
    socket.once("error", (error) => (status === undefined ? reject(error) : resolve(status)));
  });
}
