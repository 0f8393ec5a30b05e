/// <reference lib="dom" />
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { expectAccessible, looks, servedConsole, type Look, type ServedConsole } from "./served-console.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/ecosystem/repository");
const browser = useBrowser();

interface Pm2Page extends ServedConsole {
  readonly files: TestWorkspace;
  choose(environment: string): Promise<void>;
  app(name: string): Locator;
  command(): Promise<string>;
}

async function pm2Page(look: Partial<Look> = {}): Promise<Pm2Page> {
  const files = makeWorkspace();
  cpSync(FIXTURE, files.root, { recursive: true });
  rmSync(files.path("pm2/ecosystem.production.config.mjs"));
  const opened = await servedConsole(browser, { tab: "pm2", root: files.root, ...look });
  const { page } = opened;
  await page.getByRole("region", { name: "svc-dev-grpcapi" }).waitFor();
  return {
    ...opened,
    files,
    choose: (environment) => page.getByRole("radio", { name: environment, exact: true }).check(),
    app: (name) => page.getByRole("region", { name, exact: true }),
    command: () => page.getByRole("region", { name: "Start by service kind" }).locator(".code-line code").innerText(),
  };
}

function refresh({ page }: ServedConsole): Promise<void> {
  return page.getByRole("button", { name: "Read the file again" }).click();
}

/** What the page reads anew after this, once it is there. */
async function answered({ page }: ServedConsole, act: () => Promise<unknown>): Promise<void> {
  const response = page.waitForResponse((answer) => answer.url().includes("/pm2-ecosystem"));
  await Promise.all([act(), response.then((answer) => answer.finished())]);
}

describe.skipIf(!hasBrowser)("the preview", () => {
  test("shows each app with script, interpreter, environment and the command that starts it", async () => {
    const open = await pm2Page();
    const path = open.files.path("pm2/ecosystem.dev.config.cjs");
    await open.page.locator(".ecosystem-file").getByText(path, { exact: true }).waitFor();
    for (const [name, script] of [
      ["svc-dev-restapi", "./build/start-rest-api.js"],
      ["svc-dev-websocketapi", "./build/start-websocket-api.js"],
      ["svc-dev-grpcapi", "./build/start-grpc-api.js"],
    ] as const) {
      const shown = await open.app(name).innerText();
      expect(shown).toContain(script);
      expect(shown).toContain("node --enable-source-maps");
      expect(shown).toMatch(/NODE_ENV\s+development/);
      expect(shown).toContain(`pm2 start ${path} --only ${name} --update-env`);
    }
  });

  test("copies a command, and says so", async () => {
    const open = await pm2Page();
    await open.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open.page.getByRole("button", { name: "Copy the command of svc-dev-grpcapi" }).click();
    await open.page.getByRole("status").getByText("Copied the command of svc-dev-grpcapi.").waitFor();
    expect(await open.page.evaluate(() => navigator.clipboard.readText())).toBe(
      `pm2 start ${open.files.path("pm2/ecosystem.dev.config.cjs")} --only svc-dev-grpcapi --update-env`,
    );
  });

  test("shows secrets as they were sent: not at all", async () => {
    const open = await pm2Page();
    const shown = await open.app("svc-dev-restapi").innerText();
    expect(shown).toMatch(/SVC_JWT_TOKEN_SECRET_KEY\s+\[REDACTED\]/);
    await open.page.reload();
    await open.app("svc-dev-grpcapi").waitFor();
    await answered(open, () => open.choose("staging"));
    expect(open.files.read("pm2/ecosystem.dev.config.cjs").match(/canary/g)).toHaveLength(3);
    expect(await open.received()).toContain("[REDACTED]");
    expect(await open.received()).not.toContain("canary");
  });

  test("proposes one command for exactly the apps of the service kind", async () => {
    const open = await pm2Page();
    const path = open.files.path("pm2/ecosystem.dev.config.cjs");
    const kind = open.page.getByLabel("Service kind", { exact: true });
    expect(await kind.locator("option").allTextContents()).toEqual([
      "REST API",
      "WebSocket + REST API",
      "gRPC + REST API",
    ]);
    expect(await open.command()).toBe(`pm2 start ${path} --only svc-dev-restapi --update-env`);
    await answered(open, () => kind.selectOption("grpc-rest-api"));
    await open.page.getByText("Starts svc-dev-restapi, svc-dev-grpcapi, and nothing else.").waitFor();
    expect(await open.command()).toBe(`pm2 start ${path} --only svc-dev-restapi,svc-dev-grpcapi --update-env`);
    expect(await open.page.getByText("of the service kind", { exact: true }).count()).toBe(2);
    open.files.write(
      "pm2/ecosystem.dev.config.cjs",
      'module.exports = { apps: [{ name: "other", script: "./x.js" }] };',
    );
    await refresh(open);
    await open.page.getByText("none has a name that ends in restapi or grpcapi").waitFor();
  });

  test("starts from the kind of the service configuration, and changes nothing of what is stored", async () => {
    const open = await pm2Page();
    const suite = {
      version: "service-management.v1",
      runtimeEnvironment: "ci",
      serviceConfiguration: { serviceKind: "websocket-rest-api" },
    };
    await open.page.evaluate((text) => localStorage.setItem("service-management.v1", text), JSON.stringify(suite));
    await open.page.reload();
    await open.page.getByText("As the service configuration says.").waitFor();
    expect(await open.command()).toContain("--only svc-dev-restapi,svc-dev-websocketapi --update-env");
    await open.page.getByLabel("Service kind", { exact: true }).selectOption("grpc-rest-api");
    await open.page.getByText("the service configuration says WebSocket + REST API").waitFor();
    await open.choose("staging");
    await open.page.getByText("6 apps").waitFor();
    const stored = await open.page.evaluate(() => Object.entries(localStorage));
    expect(stored).toEqual([["service-management.v1", JSON.stringify(suite)]]);
    await open.page.getByRole("tab", { name: "Runtime environment" }).click();
    await open.page.getByText("ci has no env file.").waitFor();
  });

  test("offers dev, staging and production, whatever the env editor has chosen", async () => {
    const open = await pm2Page();
    const choices = open.page.getByRole("group", { name: "Environment" });
    expect((await choices.innerText()).split(/\s+/)).toEqual(["Environment", "dev", "staging", "production"]);
    await open.choose("staging");
    await open.page.getByText("6 apps").waitFor();
    await open.page.getByRole("tab", { name: "Runtime environment" }).click();
    await open.page.getByText(/^Saving writes .*\/\.env\.dev only$/).waitFor();
    await open.page.getByRole("tab", { name: "PM2 preview" }).click();
    await open.page.getByText("6 apps").waitFor();
    await open.page.reload();
    await open.page.getByText("3 apps").waitFor();
  });

  test("of an environment without a file says so, and what to do; once it is there it is read", async () => {
    const open = await pm2Page();
    await open.choose("production");
    await open.page.getByText("No ecosystem for production.").waitFor();
    const path = open.files.path("pm2/ecosystem.production.config.cjs");
    await open.page.getByText(path, { exact: true }).waitFor();
    expect(await open.page.locator(".status-line.error").count()).toBe(0);
    const example = await open.page.getByRole("group", { name: "Example of an ecosystem file" }).innerText();
    open.files.write("pm2/ecosystem.production.config.cjs", example);
    await refresh(open);
    await open.app("my-restapi").waitFor();
    await open.page.getByText("Read ecosystem.production.config.cjs again: 1 app.").waitFor();
    open.files.write("pm2/ecosystem.production.config.cjs", "module.exports = { apps: [] };");
    await refresh(open);
    await open.page.getByText("ecosystem.production.config.cjs declares no apps.").waitFor();
  });

  test("of a broken file: error, details, code and path as they came, and no app of before", async () => {
    const open = await pm2Page();
    open.files.write("pm2/ecosystem.dev.config.cjs", "module.exports = {");
    const answer = open.page.waitForResponse((response) => response.status() === 500);
    await refresh(open);
    const { error, details, code, path } = (await (await answer).json()) as Record<string, string>;
    expect([error, path]).toEqual([
      "PM2 ecosystem file operation failed.",
      open.files.path("pm2/ecosystem.dev.config.cjs"),
    ]);
    const said = open.page.locator(".problem");
    await said.waitFor();
    expect((await said.innerText()).split("\n")).toEqual([error, details, `Code ${code}`, `Path ${path}`]);
    expect(await open.page.getByRole("list", { name: "Apps" }).count()).toBe(0);
    open.files.write("pm2/ecosystem.dev.config.cjs", 'module.exports = { apps: [{ script: "./x.js" }] };');
    await open.page.getByRole("button", { name: "Try again" }).click();
    await open.app("x").waitFor();
    expect(await said.count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser).each(looks)("$theme, on a phone: $isPhone", (look) => {
  test("apps, a missing file and a broken one are accessible", async () => {
    const open = await pm2Page(look);
    await expectAccessible(open);
    await open.choose("production");
    await open.page.getByText("No ecosystem for production.").waitFor();
    await expectAccessible(open);
    open.files.write("pm2/ecosystem.production.config.cjs", "module.exports = {");
    await refresh(open);
    await open.page.locator(".problem").waitFor();
    await expectAccessible(open);
  });
});
