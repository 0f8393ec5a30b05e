/// <reference lib="dom" />
/** The console tests detect violations of the policy, and the policy itself is strict. */
import { describe, expect, test } from "vitest";
import { attackerServer, hasBrowser, useBrowser } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { STRICT_POLICY } from "../support/strict-policy.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const noPm2 = { env: { PM2_HOME: "/nowhere/pm2" } };

describe.skipIf(!hasBrowser)("the checks of the page", () => {
  test("detect and block a violation of the policy: style, image, request, frame, form, markup", async () => {
    const [server, attacker] = [await testServer(noPm2), await attackerServer()];
    const { page, problems, requests } = await openConsole(browser, server.url, { tab: "activity" });
    const directives = await page.evaluate(async (port) => {
      const seen = new Set<string>();
      const all = new Promise<void>((resolve) => {
        document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
          if (seen.add(violatedDirective).size === 6) resolve();
        });
      });
      const foreign = `http://127.0.0.1:${port}`;
      document.body.append(Object.assign(document.createElement("style"), { textContent: "body { color: red }" }));
      document.body.append(Object.assign(document.createElement("img"), { src: `${foreign}/image` }));
      document.body.append(Object.assign(document.createElement("iframe"), { src: foreign }));
      const form = Object.assign(document.createElement("form"), { action: foreign, method: "post" });
      document.body.append(form);
      form.submit();
      await fetch(foreign).catch(() => undefined);
      try {
        document.body.insertAdjacentHTML("beforeend", "<b>html</b>");
      } catch {
        // Trusted types block it.
      }
      await all;
      return [...seen].toSorted();
    }, attacker.port);
    expect(directives).toEqual([
      "connect-src",
      "form-action",
      "frame-src",
      "img-src",
      "require-trusted-types-for",
      "style-src-elem",
    ]);
    const noticed = problems.splice(0).join("\n");
    for (const directive of directives) expect(noticed).toContain(`policy: ${directive}`);
    expect(attacker.seen).toEqual([]);
    const foreign = requests.splice(0).filter((request) => !request.url().startsWith(server.url));
    expect(foreign.map((request) => request.url())).toContain(`http://127.0.0.1:${attacker.port}/image`);
  });

  longTest("detect logged lines and errors", async () => {
    const server = await testServer(noPm2);
    const { page, problems } = await openConsole(browser, server.url, { tab: "activity" });
    const thrown = page.waitForEvent("pageerror");
    await page.evaluate(() => {
      console.info("a word");
      setTimeout(() => {
        throw new Error("a fault");
      });
    });
    await thrown;
    expect(problems.splice(0)).toEqual(["a word", "Error: a fault"]);
  });

  longTest("count requests and sockets, all of them to the server itself", async () => {
    const server = await testServer(noPm2);
    const { page, requests, sockets } = await openConsole(browser, server.url);
    await page.getByText("The processes of PM2 cannot be read").waitFor();
    const paths = requests.map((request) => new URL(request.url()).pathname);
    expect(paths).toEqual(expect.arrayContaining(["/", "/api/runtime/contract", "/healthz"]));
    expect(sockets.map((socket) => new URL(socket.url()).pathname)).toEqual(["/api/runtime/pm2-ws"]);
    const answer = await page.request.get(server.url);
    expect(answer.headers()["content-security-policy"]).toBe(STRICT_POLICY);
  });
});
