/// <reference lib="dom" />
/** A server of another environment, on which a user edits production. */
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

const PROJECT = `version: 1
environments: { dev: [], production: [prod] }
env: { dev: .env.dev, production: .env.production }
keys: { LOG_LEVEL: { tier: editable, kind: text } }
`;

function project() {
  const root = temporaryFolder();
  const place = (name: string): string => join(root, name);
  writeFileSync(place("svcm.yaml"), PROJECT);
  for (const name of ["dev", "production"]) writeFileSync(place(`.env.${name}`), "LOG_LEVEL=info\n");
  return { root, envFile: (name: string) => place(`.env.${name}`), auditFile: place(".svcm/audit.jsonl") };
}

longTest.skipIf(!hasBrowser)("the page says that it writes production, and a save asks for its name", async () => {
  const repository = project();
  const server = await testServer({ repository, env: { PM2_HOME: temporaryFolder() } });
  const { page, field, button } = await openConsole(browser, server.url, { tab: "environment" });
  const save = (): Promise<void> => button("Save").click();
  const text = (): string => readFileSync(join(repository.root, ".env.production"), "utf8");
  const head = page.getByRole("banner");
  await expect.poll(() => head.getAttribute("class")).not.toContain("production");
  await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("production");
  await page.locator("header.production").waitFor();
  await expect.poll(() => head.getByRole("combobox", { name: "Environment" }).inputValue()).toBe("production");
  await expect.poll(() => page.title()).toContain(`${hostname()} production`);
  const before = text();
  await field("LOG_LEVEL").fill("debug");
  await save();
  const dialog = page.getByRole("dialog", { name: "Write 1 key of production?" });
  await dialog.getByText("LOG_LEVEL").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(text()).toBe(before);
  await save();
  await field("Type production").fill("production");
  await dialog.getByRole("button", { name: "Write" }).click();
  await page.getByText("Saved 1 key to .env.production.").waitFor();
  expect(text()).toContain("LOG_LEVEL=debug");
  await page.getByRole("link", { name: /Activity/ }).click();
  // The environment is that of the page, not of the view.
  await expect.poll(() => head.getAttribute("class")).toContain("production");
  await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("dev");
  await expect.poll(() => head.getAttribute("class")).not.toContain("production");
});
