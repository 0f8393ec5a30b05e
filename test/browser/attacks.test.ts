/// <reference lib="dom" />
/** Attacks by a web page in the operator's browser. Each test first proves that the attack works without protection. */
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { ENV, testServer, type TestServer } from "../server/support.ts";
import { attackerServer, hasBrowser, switchboard, useBrowser } from "./support.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

async function open(url: string): Promise<Page> {
  const page = await browser().newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  return page;
}

function readFrom(page: Page, url: string, init: RequestInit = {}): Promise<string> {
  return page.evaluate(
    async ([target, options]) => {
      try {
        const response = await fetch(target, options);
        return `${response.status} ${await response.text()}`;
      } catch (error) {
        return String(error);
      }
    },
    [url, init] as const,
  );
}

const write = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"values":{"SVC_HTTP_FRAMEWORK":"restify"}}',
};

/** The file and the mutations in the log, after all requests have been processed. */
async function traces(server: TestServer): Promise<{ text: string; mutations: string[] }> {
  await server.close();
  return {
    text: server.text(),
    mutations: server.log.filter((line) => line.includes('"audit"') && !line.includes('"refused"')),
  };
}

describe.skipIf(!hasBrowser)("DNS rebinding", () => {
  test("a page whose name is rebound to this machine can read an ordinary server, but not this one", async () => {
    const [server, attacker, naive] = [await testServer(), await attackerServer(), await attackerServer()];
    const before = server.text();
    // The browser sees one host and port throughout, as in DNS rebinding.
    const name = await switchboard();
    name.pointTo(attacker.port);
    const page = await open(`http://evil.example:${name.port}/`);
    name.pointTo(naive.port);
    expect(await readFrom(page, ENV)).toBe("200 readable");
    expect(naive.seen).toContain(`GET ${ENV}`);
    name.pointTo(server.port);
    for (const path of [ENV, "/", "/healthz", "/api/openapi.json"]) {
      const seen = await readFrom(page, path);
      expect(seen).toMatch(/^403 \{"error":"Forbidden\./);
      expect(seen).not.toContain("SVC_HTTP");
    }
    expect(await readFrom(page, ENV, write)).toMatch(/^403 /);
    expect(await traces(server)).toEqual({ text: before, mutations: [] });
  });

  test("a page on another port of the same name can read its own server, but not this one", async () => {
    const [server, attacker] = [await testServer(), await attackerServer()];
    const page = await open(`http://evil.example:${attacker.port}/`);
    expect(await readFrom(page, "/own")).toBe("200 readable");
    expect(await readFrom(page, `http://evil.example:${server.port}${ENV}`)).toContain("Failed to fetch");
    expect(await readFrom(page, `http://127.0.0.1:${server.port}${ENV}`)).toContain("Failed to fetch");
    await server.logged(/"status":403/, 2);
    const answer = await page.goto(`http://evil.example:${server.port}${ENV}`);
    expect(answer?.status()).toBe(403);
    await expect.poll(() => page.content()).not.toContain("SVC_HTTP_FRAMEWORK");
  });
});

/** Requests that a page may send to any origin without a preflight. */
const simpleRequests: Record<string, (page: Page, url: string) => Promise<unknown>> = {
  "a form of text": (page, url) => submitForm(page, url, "text/plain"),
  "a form of fields": (page, url) => submitForm(page, url, "application/x-www-form-urlencoded"),
  "a form of parts": (page, url) => submitForm(page, url, "multipart/form-data"),
  "a fetch of text": (page, url) =>
    page.evaluate(
      ([target, body]) => void fetch(target, { method: "POST", mode: "no-cors", body }).catch(() => undefined),
      [url, write.body] as const,
    ),
  "a beacon": (page, url) =>
    page.evaluate(([target, body]) => navigator.sendBeacon(target, body), [url, write.body] as const),
};

function submitForm(page: Page, url: string, type: string): Promise<void> {
  return page.evaluate(
    ([target, enctype, body]) => {
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.name = `frame${document.querySelectorAll("iframe").length}`;
      const form = document.body.appendChild(document.createElement("form"));
      Object.assign(form, { method: "post", action: target, enctype, target: frame.name });
      const field = form.appendChild(document.createElement("input"));
      // The body, read as text, is `{"values":...,"x":"="}`.
      Object.assign(field, { name: `${body.slice(0, -1)},"x":"`, value: '"}' });
      form.submit();
    },
    [url, type, write.body] as const,
  );
}

describe.skipIf(!hasBrowser)("cross-site requests", () => {
  const sites = ["evil.example", "localhost", "127.0.0.1"];

  longTest.each(Object.entries(simpleRequests))(
    "%s reaches any server, but changes nothing in this one",
    async (_, send) => {
      const [server, attacker, naive] = [await testServer(), await attackerServer(), await attackerServer()];
      const before = server.text();
      for (const [index, site] of sites.entries()) {
        const page = await open(`http://${site}:${attacker.port}/`);
        await send(page, `http://127.0.0.1:${naive.port}${ENV}/${index}`);
        await naive.arrived(new RegExp(`^POST ${ENV}/${index}`));
        await send(page, `http://127.0.0.1:${server.port}${ENV}`);
        await server.logged(/"POST".*"status":403/, index + 1);
      }
      expect(await traces(server)).toEqual({ text: before, mutations: [] });
    },
  );

  longTest("images and scripts receive no data", async () => {
    const [server, attacker] = [await testServer(), await attackerServer()];
    const page = await open(`http://evil.example:${attacker.port}/`);
    const load = (tag: "img" | "script", url: string): Promise<string> =>
      page.evaluate(
        ([name, source]) =>
          new Promise<string>((resolve) => {
            const element = document.createElement(name as "img");
            element.addEventListener("load", () => resolve("loaded"));
            element.addEventListener("error", () => resolve("refused"));
            element.src = source;
            document.body.append(element);
          }),
        [tag, url] as const,
      );
    expect(await load("script", `http://127.0.0.1:${attacker.port}/script`)).toBe("loaded");
    for (const path of [ENV, "/healthz", "/api/openapi.json"])
      expect(await load("script", `http://127.0.0.1:${server.port}${path}`)).toBe("refused");
    expect(await load("img", `http://127.0.0.1:${server.port}/assets/service-management.svg`)).toBe("refused");
    await server.logged(/"status":403/, 4);
  });

  test("a request with a preflight is refused", async () => {
    const [server, attacker, naive] = [await testServer(), await attackerServer(), await attackerServer()];
    const before = server.text();
    const page = await open(`http://evil.example:${attacker.port}/`);
    expect(await readFrom(page, `http://127.0.0.1:${naive.port}/cors`)).toBe("200 readable");
    expect(await readFrom(page, `http://127.0.0.1:${server.port}${ENV}`, write)).toContain("Failed to fetch");
    await server.logged(/"OPTIONS".*"status":403/);
    expect(await traces(server)).toEqual({ text: before, mutations: [] });
  });
});

describe.skipIf(!hasBrowser)("a WebSocket from another origin", () => {
  longTest("connects to an ordinary server, but not to svcm", async () => {
    const [server, attacker] = [await testServer(), await attackerServer()];
    const page = await open(`http://evil.example:${attacker.port}/`);
    const connect = (url: string): Promise<string> =>
      page.evaluate(
        (target) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(target);
            socket.addEventListener("open", () => resolve("open"));
            socket.addEventListener("close", () => resolve("closed"));
          }),
        url,
      );
    expect(await connect(`ws://127.0.0.1:${attacker.port}/socket`)).toBe("open");
    for (const host of ["127.0.0.1", "localhost", "evil.example"]) {
      expect(await connect(`ws://${host}:${server.port}/api/runtime/pm2-ws`)).toBe("closed");
    }
    expect(server.log.filter((line) => line.includes('"status":403'))).toHaveLength(3);
  });
});

describe.skipIf(!hasBrowser)("framing", () => {
  longTest("an ordinary page can be framed, but not the console", async () => {
    const [server, attacker, other] = [
      await testServer(),
      await attackerServer(),
      await attackerServer("<h1>framed</h1>"),
    ];
    const page = await open(`http://evil.example:${attacker.port}/`);
    const frame = async (url: string): Promise<string> => {
      await page.evaluate(
        (source) =>
          new Promise<void>((resolve) => {
            const element = document.createElement("iframe");
            element.addEventListener("load", () => resolve());
            element.src = source;
            document.body.append(element);
          }),
        url,
      );
      return (await page.frames().at(-1)?.content()) ?? "";
    };
    expect(await frame(`http://127.0.0.1:${other.port}/`)).toContain("framed");
    expect(await frame(`${server.url}/`)).not.toContain("<title>Service Management");
    await server.logged(/"status":403/);
  });
});
