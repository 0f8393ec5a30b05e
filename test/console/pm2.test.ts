/// <reference lib="dom" />
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { pm2Page } from "./pm2-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("the preview", () => {
  longTest("shows each app with script, interpreter, environment and the command that starts it", async () => {
    const open = await pm2Page(browser);
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

  longTest("has each command whole on a phone", async () => {
    const open = await pm2Page(browser, { isPhone: true });
    const table = open.page.getByRole("region", { name: "Apps" });
    expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await open
      .app("svc-dev-grpcapi")
      .getByRole("button", { name: /^Copy the command/ })
      .waitFor();
  });

  longTest("copies a command, and confirms it", async () => {
    const open = await pm2Page(browser);
    await open.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open.page.getByRole("button", { name: "Copy the command of svc-dev-grpcapi" }).click();
    await open.page.getByRole("status").getByText("Copied the command of svc-dev-grpcapi.").waitFor();
    await expect
      .poll(() => open.page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`pm2 start ${open.files.path("pm2/ecosystem.dev.config.cjs")} --only svc-dev-grpcapi --update-env`);
  });

  longTest("shows no secrets, because the server does not send them", async () => {
    const open = await pm2Page(browser, { isRecorded: true });
    const shown = await open.app("svc-dev-restapi").innerText();
    expect(shown).toMatch(/SVC_JWT_TOKEN_SECRET_KEY\s+\[REDACTED\]/);
    await open.page.reload();
    await open.app("svc-dev-grpcapi").waitFor();
    await open.answered(() => open.choose("staging"));
    expect(open.files.read("pm2/ecosystem.dev.config.cjs").match(/canary/g)).toHaveLength(3);
    await expect.poll(() => open.received()).toContain("[REDACTED]");
    await expect.poll(() => open.received()).not.toContain("canary");
  });

  longTest("proposes one command for exactly the apps of the service kind", async () => {
    const open = await pm2Page(browser);
    const path = open.files.path("pm2/ecosystem.dev.config.cjs");
    const kind = open.page.getByLabel("Service kind", { exact: true });
    await expect
      .poll(() => kind.locator("option").allTextContents())
      .toEqual(["REST API", "WebSocket + REST API", "gRPC + REST API"]);
    // The kind of the repository's deployments.yaml.
    await expect
      .poll(() => open.command())
      .toBe(`pm2 start ${path} --only svc-dev-restapi,svc-dev-websocketapi --update-env`);
    await open.answered(() => kind.selectOption("grpc-rest-api"));
    await open.page.getByText("Starts svc-dev-restapi, svc-dev-grpcapi and nothing else.").waitFor();
    await expect
      .poll(() => open.command())
      .toBe(`pm2 start ${path} --only svc-dev-restapi,svc-dev-grpcapi --update-env`);
    open.files.write(
      "pm2/ecosystem.dev.config.cjs",
      'module.exports = { apps: [{ name: "other", script: "./x.js" }] };',
    );
    await open.refresh();
    await open.page.getByText("no app has a name that ends in restapi or grpcapi").waitFor();
  });

  longTest("starts with the kind of the service configuration, and changes nothing that is stored", async () => {
    const open = await pm2Page(browser, { mayFail: true });
    const suite = {
      version: "service-management.v1",
      runtimeEnvironment: "ci",
      serviceConfiguration: { serviceKind: "websocket-rest-api" },
    };
    await open.page.evaluate((text) => localStorage.setItem("service-management.v1", text), JSON.stringify(suite));
    await open.page.reload();
    await open.page.getByText("From the service configuration.").waitFor();
    await expect.poll(() => open.command()).toContain("--only svc-dev-restapi,svc-dev-websocketapi --update-env");
    await open.page.getByLabel("Service kind", { exact: true }).selectOption("grpc-rest-api");
    await open.page.getByText("the service configuration says WebSocket + REST API").waitFor();
    await open.choose("staging");
    await open.page.getByText("6 apps").waitFor();
    const stored = await open.page.evaluate(() => Object.entries(localStorage));
    expect(stored.filter(([key]) => key === "service-management.v1")).toEqual([
      ["service-management.v1", JSON.stringify(suite)],
    ]);
    await open.page.getByRole("link", { name: "Runtime environment" }).click();
    await open.page.getByText("ci has no env file.").waitFor();
  });

  longTest("offers dev, staging and production, and the env editor shows the same environment", async () => {
    const open = await pm2Page(browser, { mayFail: true });
    const choices = open.page.getByRole("combobox", { name: "Environment", exact: true });
    expect((await choices.innerText()).split(/\s+/)).toEqual(["dev", "staging", "production"]);
    await open.choose("staging");
    await open.page.getByText("6 apps").waitFor();
    await open.page.getByRole("link", { name: "Runtime environment" }).click();
    await open.page.getByText("staging has no env file.").waitFor();
    await open.page.getByRole("link", { name: "PM2 preview" }).click();
    await open.page.getByText("6 apps").waitFor();
    await open.page.reload();
    await open.page.getByText("6 apps").waitFor();
    await open.page.goto("about:blank");
    await open.page.goto(`${new URL(open.url).origin}/#/pm2`);
    // The page remembers the choice.
    await open.page.getByText("6 apps").waitFor();
  });

  longTest("of an environment without a file names the next step, and reads the file once it exists", async () => {
    const open = await pm2Page(browser);
    await open.choose("production");
    await open.page.getByText("No ecosystem for production.").waitFor();
    const path = open.files.path("pm2/ecosystem.production.config.cjs");
    await open.page.getByText(path, { exact: true }).waitFor();
    await expect.poll(() => open.page.locator(".status-line.error").count()).toBe(0);
    const group = open.page.getByRole("group", { name: "Example of an ecosystem file" });
    await group.getByText("my-websocketapi").waitFor();
    const example = await group.innerText();
    open.files.write("pm2/ecosystem.production.config.cjs", example);
    await open.refresh();
    await open.app("my-restapi").waitFor();
    await open.page.getByText("Read ecosystem.production.config.cjs again: 2 apps.").waitFor();
    open.files.write("pm2/ecosystem.production.config.cjs", "module.exports = { apps: [] };");
    await open.refresh();
    await open.page.getByText("ecosystem.production.config.cjs declares no apps.").waitFor();
  });

  longTest("of a file that another program edits shows the new text on the next read", async () => {
    const open = await pm2Page(browser);
    const write = (name: string): void => {
      open.files.write("pm2/names.cjs", `module.exports = ["${name}"];`);
      const text = 'module.exports = { apps: require("./names.cjs").map((name) => ({ name, script: "./x.js" })) };';
      open.files.write("pm2/ecosystem.dev.config.cjs", text);
    };
    write("first-restapi");
    await open.refresh();
    await open.app("first-restapi").waitFor();
    write("second-restapi");
    await open.tab("Activity").click();
    await open.tab("PM2 preview").click();
    await open.app("second-restapi").waitFor();
    write("third-restapi");
    await open.page.reload();
    await open.app("third-restapi").waitFor();
    await expect.poll(() => open.command()).toContain("--only third-restapi --update-env");
    await expect.poll(() => open.page.getByRole("rowheader").count()).toBe(1);
  });

  longTest("of a broken file shows error, details, code and path unchanged, and none of the earlier apps", async () => {
    const open = await pm2Page(browser, { mayFail: true });
    open.files.write("pm2/ecosystem.dev.config.cjs", "module.exports = {");
    const answer = open.page.waitForResponse(
      (response) => response.url().includes("/pm2-ecosystem") && response.status() === 500,
    );
    await open.refresh();
    const { error, details, code, path } = (await (await answer).json()) as Record<string, string>;
    expect([error, path]).toEqual([
      "PM2 ecosystem file operation failed.",
      open.files.path("pm2/ecosystem.dev.config.cjs"),
    ]);
    const problem = open.page.locator(".problem");
    await problem.waitFor();
    expect((await problem.innerText()).split("\n")).toEqual([error, details, `Code ${code}`, `Path ${path}`]);
    await expect.poll(() => open.page.getByRole("region", { name: "Apps" }).count()).toBe(0);
    open.files.write("pm2/ecosystem.dev.config.cjs", 'module.exports = { apps: [{ script: "./x.js" }] };');
    await open.page.getByRole("button", { name: "Try again" }).click();
    await open.app("x").waitFor();
    await expect.poll(() => problem.count()).toBe(0);
  });
});

longTest.skipIf(!hasBrowser)("apps, a missing file and a broken file are accessible in every theme", async () => {
  const open = await pm2Page(browser, { mayFail: true });
  await expectAccessibleInEveryLook(open);
  await open.choose("production");
  await open.page.getByText("No ecosystem for production.").waitFor();
  await expectAccessibleInEveryLook(open);
  open.files.write("pm2/ecosystem.production.config.cjs", "module.exports = {");
  await open.refresh();
  await open.page.locator(".problem").waitFor();
  await expectAccessibleInEveryLook(open);
});
