/// <reference lib="dom" />
/** Deploy targets as stored. @see the specification, "Deploy target list behaviour" 5 */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { a, b, lambda, openTargets, suiteOf, type Target } from "./stored-targets.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { focused, tabTo } from "./keyboard.ts";
import { openSuite, type SuitePage } from "./suite-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const open = (...deployments: object[]): Promise<SuitePage> => openTargets(browser, ...deployments);

describe.skipIf(!hasBrowser)("5: the stored targets", () => {
  test("are validated when they are shown: a rejected entry is marked with its issues, and stays", async () => {
    const bad = { ...b, runtime: "latest", deployTarget: "heroku" };
    const suite = await open(a, bad, { ...a, name: "A" }, { region: 5 });
    await expect
      .poll(() => suite.entries().locator(".badge.error").allTextContents())
      .toEqual(["2 issues", "1 issue", expect.stringMatching(/^\d+ issues$/)]);
    await expect
      .poll(() => suite.page.getByRole("list", { name: "Issues of b" }).textContent())
      .toMatch(/"latest".*"heroku"/);
    await suite.page.getByRole("link", { name: "Deploy targets 3 errors", exact: true }).waitFor();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, bad, { ...a, name: "A" }, { region: 5 }));
    await suite.button("Edit A").click();
    await suite.field("Name").fill("other");
    await suite.button("Save Target").click();
    await expect.poll(() => suite.entries().locator(".badge.error").count()).toBe(2);
  });

  longTest(
    "entries of an earlier version are converted without loss; values that are not in the matrix are kept and marked",
    async () => {
      const suite = await open(
        { name: "old", type: "dedicated", region: "r", runtime: "node20", owner: "x" },
        { name: "odd", type: "heroku", region: "r", runtime: "node20" },
      );
      await suite.button("Duplicate old").click();
      const metadata = {
        serviceType: "restapi",
        runtimeProtocol: "http",
        databaseDriver: "InMemory",
        keyValueDriver: "redis",
      };
      const old = {
        region: "r",
        runtime: "node20",
        ...metadata,
        deployTarget: "dedicated-server",
        pm2Profile: "dev",
        owner: "x",
      };
      await expect
        .poll(() => suite.stored())
        .toEqual(
          suiteOf(
            { name: "old", ...old },
            { name: "odd", region: "r", runtime: "node20", ...metadata, deployTarget: "heroku" },
            { name: "old (copy)", ...old },
          ),
        );
      await expect
        .poll(() => suite.page.getByRole("list", { name: "Issues of odd" }).textContent())
        .toContain('"heroku" is not known');
    },
  );

  longTest.each(["{", "[]", '{"deployments":{}}', '{"version":"v0"}'])(
    "that cannot be read is kept aside: %s",
    async (text) => {
      const suite = await openSuite(browser, "targets", text);
      await suite.page.getByText("could not be read and was kept aside").waitFor();
      await expect.poll(() => suite.page.getByText("No deploy targets yet").count()).toBe(1);
      const kept = await suite.page.evaluate(
        () => Object.entries(localStorage).find(([key]) => key.includes(".aside."))?.[1],
      );
      expect(JSON.parse(String(kept))).toMatchObject({ text });
    },
  );
});

describe.skipIf(!hasBrowser)("every user", () => {
  longTest("adds, edits, duplicates and deletes by keyboard alone", async () => {
    const suite = await open(a);
    const { keyboard } = suite.page;
    await suite.page.locator("#tab-targets").focus();
    for (const key of ["Tab", "Tab"]) await keyboard.press(key);
    await tabTo(suite.page, "Name");
    await keyboard.type("k");
    await tabTo(suite.page, "Runtime");
    await keyboard.type("bun1.3");
    await keyboard.press("Enter");
    await expect.poll(() => focused(suite.page)).toBe("1");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await expect.poll(() => focused(suite.page)).toBe("Name");
    await keyboard.press("End");
    await keyboard.type("2");
    await keyboard.press("Enter");
    await expect.poll(() => focused(suite.page)).toBe("1");
    for (const key of ["Tab", "Tab", "Enter"]) await keyboard.press(key);
    await expect.poll(() => focused(suite.page)).toBe("2");
    for (const key of ["Tab", "Tab", "Tab", "Enter"]) await keyboard.press(key);
    // The deletion asks first.
    await expect
      .poll(async () => ((await suite.stored()) as { deployments: Target[] }).deployments.map(({ name }) => name))
      .toEqual(["a", "k2"]);
  });

  longTest("the targets tab is accessible in every theme", async () => {
    const suite = await openSuite(browser, "targets", suiteOf(a, { ...b, runtime: "latest" }, lambda));
    await suite.button("Edit b").click();
    await suite.button("Save Target").click();
    await expectAccessibleInEveryLook(suite);
  });
});
