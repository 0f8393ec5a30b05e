/// <reference lib="dom" />
/** Imports that the server parses. */
import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { openSuite, type SuitePage } from "./suite-page.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const browser = useBrowser();
const before = { version: "service-management.v1", runtimeEnvironment: "dev" };
const YAML = `# What runs where
version: service-management.v1
serviceConfiguration: &service
  serviceKind: rest-api
  runMode: container
  cloudProvider: docker
  ports: { rest: 3000 }
deployments:
  - &target
    name: >-
      eu
      west
    region: |-
      on
    runtime: node22
    serviceType: &type restapi
    deployTarget: !!str ec2
    runtimeProtocol: http
    databaseDriver: InMemory
    keyValueDriver: redis
    pm2Profile: dev
  - { name: odd, type: heroku, region: r, runtime: "node20" }
`;
const target = {
  region: "on",
  runtime: "node22",
  serviceType: "restapi",
  deployTarget: "ec2",
  runtimeProtocol: "http",
  databaseDriver: "InMemory",
  keyValueDriver: "redis",
  pm2Profile: "dev",
};
const anchored = (name: string): string => `version: !!str service-management.v1\ninterfaces: [] # ${name}\n`;

function open(options = {}): Promise<SuitePage> {
  return openSuite(browser, "transfer", before, options);
}

/** The button of the import; the page has the same one for its connection. */
function tryAgain({ page }: SuitePage): Locator {
  return page.getByRole("region", { name: "Import", exact: true }).getByRole("button", { name: "Try again" });
}

function file(text: string, name = "deployments.yaml"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const choose = ({ page }: SuitePage, path: string): Promise<void> =>
  page.locator("input[type=file]").setInputFiles(path);

describe.skipIf(!hasBrowser)("a file with anchors and block scalars", () => {
  const spellings = [
    ["with a byte order mark and CRLF", `\uFEFF${YAML.replaceAll("\n", "\r\n")}`],
    ["as it is", YAML],
  ] as const;
  longTest.each(firstOrAll(spellings))("%s is imported after confirmation, and can be undone", async (_, text) => {
    const suite = await open();
    await choose(suite, file(text));
    await suite.page.getByText("1 deploy target of an earlier version will be migrated.").waitFor();
    await expect.poll(() => suite.stored()).toEqual(before);
    suite.answer(false);
    await suite.button("Import").click();
    await expect.poll(() => suite.questions).toHaveLength(1);
    await expect.poll(() => suite.stored()).toEqual(before);
    suite.answer(true);
    await suite.button("Import").click();
    await expect
      .poll(() => suite.stored())
      .toMatchObject({
        deployments: [{ name: "eu west", ...target }, { deployTarget: "heroku" }],
        serviceConfiguration: { ports: { rest: 3000 } },
      });
    await suite.button("Undo").click();
    await expect.poll(() => suite.stored()).toEqual(before);
  });

  longTest("that is broken is reported with line and column, and can be imported after it is fixed", async () => {
    const suite = await open();
    const path = file(YAML.replace("!!str ec2", '"ec2'));
    await choose(suite, path);
    await suite.page.getByText("deployments.yaml cannot be imported.").waitFor();
    const list = suite.page.getByRole("list", { name: "Issues of the import" });
    await expect.poll(() => list.textContent()).toMatch(/line \d+, column \d+: .*YAML_SYNTAX/);
    await expect.poll(() => suite.button("Import").isDisabled()).toBe(true);
    writeFileSync(path, YAML);
    await choose(suite, path);
    await suite.page.getByText("invalid entries are imported as they are, and stay flagged").waitFor();
    await expect.poll(() => suite.stored()).toEqual(before);
  });
});

describe.skipIf(!hasBrowser)("the server", () => {
  longTest("that is unavailable is reported, and nothing changes", async () => {
    const suite = await open({ mayFail: true });
    await suite.server.close();
    await suite.field("Document").fill(YAML);
    const found = suite.page.locator(".status-line.error", { hasText: "could not be checked" });
    await found.waitFor();
    await expect.poll(() => found.textContent()).toMatch(/Nothing is changed\..*The server cannot be reached\./);
    await expect.poll(() => suite.button("Import").isDisabled()).toBe(true);
    await expect.poll(() => suite.stored()).toEqual(before);
  });

  longTest("is asked again when it is available again", async () => {
    const suite = await open({ mayFail: true });
    await suite.page.context().setOffline(true);
    await suite.field("Document").fill(YAML);
    const again = tryAgain(suite);
    await again.waitFor();
    await suite.page.context().setOffline(false);
    await again.click();
    await suite.page.getByText("invalid entries are imported as they are, and stay flagged").waitFor();
    await expect.poll(() => again.count()).toBe(0);
  });

  longTest("does not receive a file that is too large for it", async () => {
    const suite = await open();
    await choose(suite, file(`${YAML}# ${"x".repeat(4 * 2 ** 20)}\n`));
    const refused = suite.page.getByText("is larger than 4 MB");
    await refused.waitFor();
    await expect.poll(() => suite.stored()).toEqual(before);
  });

  longTest.each([
    ["another text", anchored("second").replace("[]", "5"), "This document cannot be imported."],
    ["plain YAML", "version: service-management.v1\n", "This document is valid"],
    ["none", "", undefined],
  ])("that answers late is ignored if %s was given in the meantime", async (_, later, words) => {
    const suite = await open();
    const gate = new EventEmitter();
    await suite.page.route("**/api/validate", async (route) => {
      if (route.request().postData()?.includes("# first") === true) await once(gate, "open");
      // The page has already aborted the first request.
      await route.continue().catch(() => undefined);
    });
    const ended = suite.page.waitForEvent("requestfailed");
    const sent = suite.page.waitForRequest("**/api/validate");
    await choose(suite, file(anchored("first"), "first.yaml"));
    const reading = suite.page.getByText("Checking the document…");
    await reading.waitFor();
    await sent;
    await expect.poll(() => suite.button("Import").isDisabled()).toBe(true);
    await suite.field("Document").fill(later);
    expect((await ended).postData()).toContain("# first");
    gate.emit("open");
    if (words !== undefined) await suite.page.getByText(words).waitFor();
    await reading.waitFor({ state: "detached" });
    await expect.poll(() => suite.page.getByText("first.yaml").count()).toBe(0);
    await expect.poll(() => suite.stored()).toEqual(before);
  });
});

longTest.skipIf(!hasBrowser)("a document that waits for the server is accessible in every theme", async () => {
  const suite = await open({ mayFail: true });
  await suite.page.context().setOffline(true);
  await suite.field("Document").fill(YAML);
  await tryAgain(suite).waitFor();
  await suite.page.context().setOffline(false);
  await expectAccessibleInEveryLook(suite);
});
