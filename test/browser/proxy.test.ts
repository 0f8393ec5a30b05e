/// <reference lib="dom" />
/** The console behind real TLS reverse proxies, with the configurations of the documentation. */
import { request } from "node:https";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openConsole, type OpenedConsole } from "../console/open-console.ts";
import { ENV, testServer, type TestServer } from "../server/support.ts";
import { freePort } from "../support/free-port.ts";
import { firstOrAll, longTest } from "../support/runs.ts";
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

  /** On a busy machine, the page may have connected again. */
  function expectProxied(opened: OpenedConsole, { server, url }: Behind): void {
    const addresses = new Set(opened.sockets.map((socket) => socket.url()));
    expect([...addresses]).toEqual([`${url.replace("https:", "wss:")}/api/runtime/pm2-ws`]);
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
    expect(opened.requests.map((one) => one.url()).filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
  }

  function expectNoRefusal({ server }: Behind): void {
    expect(server.log.join("")).not.toContain("refused");
  }

  longTest.skipIf(!isPossible).each([{ path: "" }, { path: "/svcm" }])(
    "at $path/ the page, its files, the API and the WebSocket work, and a save arrives",
    async ({ path }) => {
      const place = await behind(path);
      const opened = await openConsole(browser, place.url);
      await opened.page.getByText("The processes of PM2 cannot be read").waitFor();
      await opened.tab("Runtime environment").click();
      await save(opened);
      expectProxied(opened, place);
      expectNoRefusal(place);
    },
  );

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

  test.skipIf(!isPossible)(
    "under a path, without its trailing slash too, the page asks for the token, and all of it works",
    async () => {
      const place = await behind("/svcm", { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN });
      const opened = await openConsole(browser, place.url, { beginsWith: "dialog", mayFail: true });
      await opened.field("Token").fill(TOKEN);
      await opened.button("Continue").click();
      await opened.page.getByText("The processes of PM2 cannot be read").waitFor();
      await opened.tab("Runtime environment").click();
      await save(opened);
      expectProxied(opened, place);
      await opened.page.goto(place.url);
      await opened.page.getByRole("heading", { name: "Monitoring" }).waitFor();
      expect(new URL(opened.page.url()).pathname).toBe("/svcm/");
    },
  );
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
