/// <reference lib="dom" />
/** The repository's document in the console: shown unchanged, edited as a draft, and written without other changes. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { testServer, type TestServer } from "../server/support.ts";
import { makeRepository, type TestRepository } from "../support/git.ts";
import { CONFIG_FOLDER } from "../support/workspace.ts";
import { expectAccessible, expectAccessibleInEveryLook } from "./accessibility.ts";
import { openConsole, type ConsoleOptions, type OpenedConsole } from "./open-console.ts";

const browser = useBrowser();
const FILE = "deployments.yaml";
const ROOT = join(import.meta.dirname, "../..");
const TEXT = readFileSync(join(ROOT, FILE), "utf8");

interface Opened extends OpenedConsole {
  readonly server: TestServer;
  readonly repository: TestRepository;
}

async function serverOf(repository: TestRepository, env = {}): Promise<TestServer> {
  const { root } = repository;
  return testServer({
    repository: { root, envFile: (name) => join(root, `.env.${name}`), auditFile: join(root, ".svcm/audit.jsonl") },
    env,
  });
}

async function opened(
  files: Readonly<Record<string, string>> = { [FILE]: TEXT },
  options: ConsoleOptions = {},
): Promise<Opened> {
  const repository = makeRepository(files);
  cpSync(join(ROOT, CONFIG_FOLDER), repository.path(CONFIG_FOLDER), { recursive: true });
  const server = await serverOf(repository);
  return { ...(await openConsole(browser, server.url, { tab: "targets", ...options })), server, repository };
}

async function changeRegion({ button, field }: OpenedConsole, region: string, name = "staging"): Promise<void> {
  await button(`Edit ${name}`).click();
  await field("Region").fill(region);
  await button("Save Target").click();
}

const changes = ({ page }: OpenedConsole) => page.getByRole("list", { name: "Changes of the draft" });

describe.skipIf(!hasBrowser)("the declarations of the repository", () => {
  test("are shown without an import, with the commit, and the browser stores nothing", async () => {
    const { page, repository, tab } = await opened();
    await page.getByText(`From ${FILE} at commit ${repository.git("rev-parse", "HEAD").slice(0, 7)}.`).waitFor();
    await expect.poll(() => page.locator("ul.entries > li").count()).toBe(TEXT.match(/ {2}- name:/g)?.length);
    await tab("Interfaces").click();
    await page.getByText("ItemController.changed").first().waitFor();
    await tab("Service configuration").click();
    await page.getByText("The saved configuration is valid.").waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("service-management.v1"))).toBeNull();
  });

  test("of many issues, the verdict is shown, beside entries the first ones, and the others on request", async () => {
    const target = (at: number): string => `  - { name: t${at}, deployTarget: nowhere, region: eu, runtime: node22 }`;
    const text = `version: service-management.v1\ndeployments:\n${[1, 2, 3].map(target).join("\n")}\n`;
    const open = await opened({ [FILE]: text }, { tab: "targets" });
    const { page } = open;
    const words = page.locator(".status-line.error", { hasText: /^deployments\.yaml has \d+ issues\./ });
    const [, count = ""] = /has (\d+) issues/.exec(await words.innerText()) ?? [];
    const lines = words.locator(".issues li").filter({ visible: true });
    expect(Number(count)).toBeGreaterThan(4);
    expect(await lines.count()).toBe(0);
    const entry = page.getByRole("list", { name: "Deploy targets" }).locator(":scope > li").first();
    const found = entry.locator(".issues li").filter({ visible: true });
    const ofEntry = Number(/(\d+) issues/.exec(await entry.innerText())?.[1]);
    expect(await found.count()).toBe(3);
    await expectAccessible(open);
    await entry.getByText(`And ${ofEntry - 3} more issue`).click();
    await expect.poll(() => found.count()).toBe(ofEntry);
    await words.getByText("Show", { exact: true }).click();
    await expect.poll(() => lines.count()).toBe(Number(count));
    await expectAccessible(open);
  });

  test("a draft is labelled as a draft; saving it writes only the changed line and leaves a record", async () => {
    const open = await opened();
    const { page, repository, server, button } = open;
    await changeRegion(open, "rack-9");
    await changes(open).getByText("staging changed").waitFor();
    await expect.poll(() => changes(open).innerText()).toContain("region: rack-2 → rack-9");
    await page.getByText("These changes are in this browser only, not in deployments.yaml.").waitFor();
    expect(repository.read(FILE)).toBe(TEXT);
    await expectAccessibleInEveryLook(open);
    await button("Save to file").click();
    await page.getByText("Saved to deployments.yaml, which differs from commit").waitFor();
    expect(repository.read(FILE)).toBe(TEXT.replace("rack-2", "rack-9"));
    const record = readFileSync(server.repository.auditFile, "utf8").trim().split("\n").at(-1);
    expect(JSON.parse(record ?? "")).toMatchObject({ action: "suite.write", target: "staging", outcome: "succeeded" });
  });

  test("the copied patch is one that Git applies", async () => {
    const open = await opened();
    const { page, repository, button } = open;
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
    });
    await changeRegion(open, "rack-9");
    await button("Copy patch").click();
    await page.getByText("Copied the patch.").waitFor();
    writeFileSync(repository.path("draft.patch"), (await page.locator("body").getAttribute("data-copied")) ?? "");
    repository.git("apply", "draft.patch");
    expect(repository.read(FILE)).toBe(TEXT.replace("rack-2", "rack-9"));
    expect(open.posts.every(({ ifMatch }) => ifMatch === undefined)).toBe(true);
  });

  test("a draft survives a reload, and discarding it shows the file", async () => {
    const open = await opened();
    const { page, button } = open;
    await changeRegion(open, "rack-9");
    await changes(open).getByText("staging changed").waitFor();
    await page.reload();
    await changes(open).getByText("region: rack-2 → rack-9").waitFor();
    await button("Discard").click();
    await page.getByText(`From ${FILE} at commit`).waitFor();
    await page.getByText("rack-2").waitFor();
    await page.reload();
    await page.getByText(`From ${FILE} at commit`).waitFor();
    await expect.poll(() => open.questions).toEqual(["Discard the draft? deployments.yaml stays as it is."]);
  });

  test("without a draft, the browser shows the current file, also after another environment was selected", async () => {
    const { page, repository, tab } = await opened();
    await page.getByText("rack-2").waitFor();
    await tab("Runtime environment").click();
    await page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("staging");
    repository.write(FILE, TEXT.replace("rack-2", "rack-7"));
    await tab("Deploy targets").click();
    await page.getByText("rack-7").waitFor();
    await page.reload();
    await page.getByText("rack-7").waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Draft" }).count()).toBe(0);
  });

  test("if two users edit, the second one sees both versions described in words and loses nothing", async () => {
    const first = await opened();
    const second = await openConsole(browser, first.server.url, { tab: "targets", mayFail: true });
    await second.page.getByText("rack-2").waitFor();
    await changeRegion(second, "eu-north-1", "production");
    await changes(second).getByText("production changed").waitFor();
    await changeRegion(first, "rack-9");
    await first.button("Save to file").click();
    await first.page.getByText("Saved to deployments.yaml").waitFor();
    await second.button("Save to file").click();
    const conflict = second.page.getByRole("region", { name: "deployments.yaml was changed meanwhile" });
    await conflict.getByText("region: rack-2 → rack-9").waitFor();
    await conflict.getByText("region: eu-central-1 → eu-north-1").waitFor();
    await expectAccessibleInEveryLook(second);
    expect(first.repository.read(FILE)).toBe(TEXT.replace("rack-2", "rack-9"));
    await second.button("Keep the draft on top of the file").click();
    await changes(second).getByText("region: eu-central-1 → eu-north-1").waitFor();
    await expect.poll(() => changes(second).innerText()).not.toContain("rack");
    await second.button("Save to file").click();
    await second.page.getByText("Saved to deployments.yaml").waitFor();
    const both = TEXT.replace("rack-2", "rack-9").replace("region: eu-central-1", "region: eu-north-1");
    expect(first.repository.read(FILE)).toBe(both);
  });

  test("a missing file is created on the first save, and a file that cannot be read is not overwritten", async () => {
    const open = await opened({ "README.md": "x\n" });
    const { page, repository, field, button } = open;
    await field("Name").fill("eu-1");
    await field("Runtime").fill("node22");
    await button("Add Target").click();
    await page.getByText("deployments.yaml does not exist yet; saving creates it.").waitFor();
    await button("Save to file").click();
    await page.getByText("Saved to deployments.yaml").waitFor();
    expect(repository.read(FILE)).toMatch(/^version: service-management\.v1\ndeployments:\n {2}- name: eu-1\n/);
    repository.write(FILE, "deployments: [");
    await page.reload();
    await page.getByText("deployments.yaml has 1 issue.").waitFor();
    await expect.poll(() => button("Save to file").count()).toBe(0);
  });
});
