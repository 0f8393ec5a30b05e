/// <reference lib="dom" />
/** Export and import of the complete document. @see the specification, "Versioning" 1, 2 and 4 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { focused, tabTo } from "./keyboard.ts";
import { openSuite, type SuitePage } from "./suite-page.ts";
import { firstOrAll, longTest } from "../support/runs.ts";

const browser = useBrowser();
const version = "service-management.v1";
const target = {
  name: "eu (copy)",
  region: "on",
  runtime: "node22",
  serviceType: "websocket+restapi",
  deployTarget: "ec2",
  runtimeProtocol: "websocket",
  databaseDriver: "MS SQL",
  keyValueDriver: "redis",
  pm2Profile: "dev",
};
const full = {
  version,
  runtimeEnvironment: "staging",
  serviceConfiguration: {
    serviceKind: "grpc-rest-api",
    runMode: "container",
    cloudProvider: "docker",
    staticAssetsPath: "a: b #c",
    ports: { rest: 3000, grpc: 3001 },
  },
  interfaces: [
    { type: "grpc", framework: "grpc", entrypoint: "src/interface/gRPC/start.ts", controller: "ItemController.get" },
  ],
  deployments: [{ ...target, databaseDriver: "MSSQL" }],
};

function open(before?: object | string): Promise<SuitePage> {
  return openSuite(browser, "transfer", before as string);
}

async function downloaded(suite: SuitePage, name: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([suite.page.waitForEvent("download"), suite.button(`Download ${name}`).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

async function importText(suite: SuitePage, text: string): Promise<void> {
  await suite.field("Document").fill(text);
  await suite.button("Import").click();
}

describe.skipIf(!hasBrowser)("an exported document", () => {
  longTest.each(
    firstOrAll([
      ["YAML", "deployments.yaml"],
      ["JSON", "service-management.json"],
    ] as const),
  )("as %s is valid for svcm validate, and restores the same state", async (format, fileName) => {
    const suite = await open(full);
    await suite.page.getByText(format, { exact: true }).click();
    const { name, text } = await downloaded(suite, fileName);
    expect(name).toBe(fileName);
    const root = temporaryFolder();
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, fileName), text);
    const ran = await svcm(["validate", "--file", fileName], { root });
    expect({ code: ran.code, output: ran.stdout + ran.stderr }).toMatchObject({ code: 0 });
    const other = await open();
    await importText(other, text);
    await expect.poll(() => other.stored()).toEqual(full);
    await expect
      .poll(() => other.questions)
      .toEqual([
        "Replace (0 deploy targets, 0 interface adapters, no service configuration, no environment) with this document?",
      ]);
  });

  test("contains the environment only as the selection, every section, and unknown keys; issues are listed", async () => {
    const kept = { ...full, deployments: [{ ...target, owner: "me" }], extra: [1] };
    const suite = await open(kept);
    const { text } = await downloaded(suite, "service-management.json");
    expect(JSON.parse(text)).toEqual(kept);
    expect(Object.keys(JSON.parse(text) as object)).toEqual([...Object.keys(full), "extra"]);
    await suite.page.getByText("Show", { exact: true }).click();
    const found = await suite.page
      .getByRole("list", { name: "Issues of the document" })
      .locator("li")
      .allTextContents();
    expect(found.join("\n")).toMatch(/deployments\[0\]: databaseDriver: "MS SQL" is not known/);
    expect(found).toHaveLength(3);
  });

  longTest("can be copied", async () => {
    const suite = await open(full);
    await suite.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await suite.page.getByText("YAML", { exact: true }).click();
    await suite.button("Copy deployments.yaml").click();
    await suite.page.getByText("Copied deployments.yaml.").waitFor();
    const copied = await suite.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^# yaml-language-server: .*\nversion: service-management.v1\n/);
    expect(copied).toContain('staticAssetsPath: "a: b #c"');
  });
});

describe.skipIf(!hasBrowser)("an imported document", () => {
  const bad: [string, string, RegExp][] = [
    ["broken JSON", '{"version": }', /is not JSON/],
    [
      "a key that appears twice in JSON",
      '{"version":"service-management.v1","interfaces":[],"interfaces":[]}',
      /"interfaces" appears twice, first at 1:36/,
    ],
    [
      "broken YAML, with the place",
      'deployments: &a []\nversion: "x\n',
      /document line 3, column 1: Missing closing "quote/,
    ],
    [
      "a key that appears twice",
      "version: a\ninterfaces: []\nversion: b\n",
      /version line 3, column 1: .*first at 1:1/,
    ],
    [
      "two documents",
      "version: service-management.v1\n---\na: 1\n",
      /line 2, column 1: contains more than one document; accepted: one/,
    ],
    ["a list where a map is", "- &a 1\n", /document line 1, column 1: .*expected a map, got a list/],
    ["no map", "- 1\n", /expected a map, got a list/],
    ["another version", "version: v0\n", /version: "v0" is not supported; accepted: service-management.v1/],
    ["a list that is a map", "deployments: {}\n", /deployments: expected a list/],
    ["an entry that is a number", "deployments:\n  - 5\n", /deployments\[0\].*expected a map/],
    ["values of an environment", "runtimeEnvironment:\n  SVC_HTTP_PORT: 3000\n", /runtimeEnvironment: expected text/],
  ];
  longTest("is refused if it is invalid, with the field, and nothing changes", async () => {
    const suite = await open(full);
    const before = await suite.storedText();
    const list = suite.page.locator('[aria-label^="Issues of the import"] li');
    for (const [name, text, words] of bad) {
      await suite.field("Document").fill(text);
      await list.first().waitFor();
      const found = await list.allTextContents();
      expect(found.toSorted().join("\n"), name).toMatch(words);
      await expect.poll(() => suite.button("Import").isDisabled(), { message: name }).toBe(true);
      await expect.poll(() => suite.storedText(), { message: name }).toBe(before);
      await suite.field("Document").fill("");
      await expect.poll(() => list.count(), { message: name }).toBe(0);
    }
  });

  const flagged: [string, string, RegExp][] = [
    ["fields after an anchor", "x: &x 1\ndeployments:\n  - runtime: latest\n", /line 3, column 14: runtime: "latest"/],
    [
      "fields, each with its line",
      "deployments:\n  - name: a\n    type: dedicated\n    runtime: latest\ninterfaces:\n  - type: soap\n",
      /deployments\[0\] line 4, column 14: runtime: "latest".*interfaces\[0\] line 6, column 11: type: "soap"/s,
    ],
    [
      "a rejected service configuration",
      '{"serviceConfiguration":{"runMode":"functions","cloudProvider":"docker"}}',
      /accepted: aws, vercel, cloudflare/,
    ],
  ];
  longTest.each(firstOrAll(flagged))(
    "with %s is imported unchanged and marked, with the issues by field",
    async (_name, text, words) => {
      const suite = await open(full);
      await suite.field("Document").fill(text);
      const list = suite.page.locator('[aria-label^="Issues of the import"] li');
      await list.first().waitFor();
      const found = await list.allTextContents();
      expect(found.toSorted().join("\n")).toMatch(words);
      await suite.button("Import").click();
      await suite.page.getByText(/^Imported /).waitFor();
      await expect.poll(() => suite.page.getByRole("link", { name: /error/ }).count()).toBeGreaterThan(0);
    },
  );

  longTest("restores an equal state from the console's own export, even with invalid entries", async () => {
    const kept = {
      version,
      runtimeEnvironment: "prod",
      serviceConfiguration: { runMode: "functions", cloudProvider: "docker" },
      interfaces: [{ type: "soap" }],
      deployments: [{ name: "odd", deployTarget: "heroku", region: "r", runtime: "latest" }, { owner: "me" }],
    };
    const suite = await open(kept);
    const { text } = await downloaded(suite, "service-management.json");
    const other = await open();
    await importText(other, text);
    await other.page.getByText(/^Imported 2 deploy targets/).waitFor();
    await expect.poll(() => other.stored()).toEqual(kept);
    await expect
      .poll(() => other.page.getByRole("link", { name: /Deploy targets/ }).textContent())
      .toContain("2 errors");
  });

  longTest("changes nothing until it is confirmed, and can be undone", async () => {
    const suite = await open(full);
    const next = { version, deployments: [{ ...full.deployments[0], name: "next" }] };
    suite.answer(false);
    await importText(suite, JSON.stringify(next));
    await expect.poll(() => suite.questions).toHaveLength(1);
    await expect.poll(() => suite.stored()).toEqual(full);
    suite.answer(true);
    await suite.button("Import").click();
    await expect.poll(() => suite.stored()).toEqual(next);
    await suite.button("Undo").click();
    await expect.poll(() => suite.stored()).toEqual(full);
  });

  longTest(
    "of an earlier version is converted without loss; values that are not in the matrix are kept and marked",
    async () => {
      const suite = await open();
      const legacy = [
        { name: "old", type: "dedicated", region: "r", runtime: "node20" },
        { name: "odd", type: "heroku", region: "r", runtime: "node20" },
      ];
      await suite.field("Document").fill(JSON.stringify({ deployments: legacy }, null, "\t"));
      await suite.page.getByText("2 deploy targets of an earlier version will be migrated.").waitFor();
      await suite.button("Import").click();
      const metadata = {
        serviceType: "restapi",
        runtimeProtocol: "http",
        databaseDriver: "InMemory",
        keyValueDriver: "redis",
      };
      const old = { name: "old", region: "r", runtime: "node20", ...metadata };
      await expect
        .poll(() => suite.stored())
        .toEqual({
          version,
          deployments: [
            { ...old, deployTarget: "dedicated-server", pm2Profile: "dev" },
            { ...old, name: "odd", deployTarget: "heroku" },
          ],
        });
      await expect
        .poll(() => suite.page.getByRole("link", { name: /Deploy targets/ }).textContent())
        .toContain("1 error");
    },
  );

  longTest("may be the repository's own deployments.yaml, from a file; an open edit is cancelled", async () => {
    const suite = await openSuite(browser, "targets", full);
    await suite.button("Edit eu (copy)").click();
    await suite.tab("Import").click();
    const file = join(import.meta.dirname, "../../deployments.yaml");
    await suite.page.locator("input[type=file]").setInputFiles(file);
    await suite.page.getByText("deployments.yaml is valid").waitFor();
    await suite.button("Import").click();
    const names = async () => {
      const { deployments } = (await suite.stored()) as { deployments: { name: string }[] };
      return deployments.map(({ name }) => name);
    };
    await expect.poll(names).toEqual(["staging", "production", "edge"]);
    await suite.page.locator("#tab-targets").click();
    await suite.page.getByText("was changed or deleted elsewhere").waitFor();
    await expect.poll(() => suite.button("Save Target").count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser)("every user", () => {
  longTest("exports and imports by keyboard alone", async () => {
    const suite = await open(full);
    const { keyboard } = suite.page;
    await suite.tab("Import").focus();
    await tabTo(suite.page, "JSON");
    await keyboard.press("ArrowRight");
    await tabTo(suite.page, "Download deployments.yaml");
    const [download] = await Promise.all([suite.page.waitForEvent("download"), keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toBe("deployments.yaml");
    await keyboard.press("Tab");
    await expect.poll(() => focused(suite.page)).toBe("Document");
    await keyboard.insertText("version: service-management.v1\n");
    await suite.page.getByText("This document is valid").waitFor();
    await tabTo(suite.page, "Import");
    await keyboard.press("Enter");
    await expect.poll(() => suite.stored()).toEqual({ version });
  });

  longTest("the transfer tab is accessible in every theme", async () => {
    const suite = await openSuite(browser, "transfer", { ...full, deployments: [target] });
    await suite.field("Document").fill("deployments:\n  - name: a\n");
    await expectAccessibleInEveryLook(suite);
  });
});
