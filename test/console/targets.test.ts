/// <reference lib="dom" />
/** Each sentence of the specification, "Deploy target list behaviour". */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { a, b, c, lambda, openTargets, suiteOf } from "./stored-targets.ts";
import { focused } from "./keyboard.ts";
import { type SuitePage } from "./suite-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const open = (...deployments: object[]): Promise<SuitePage> => openTargets(browser, ...deployments);

describe.skipIf(!hasBrowser)("1: add, edit in place, duplicate and delete", () => {
  test("a new target comes last, with the defaults that the form showed", async () => {
    const suite = await open(a);
    await suite.field("Name").fill("eu-1");
    await suite.field("Runtime").fill("node22");
    await suite.button("Add Target").click();
    await expect
      .poll(() => suite.stored())
      .toEqual(
        suiteOf(a, {
          name: "eu-1",
          runtime: "node22",
          serviceType: "restapi",
          deployTarget: "dedicated-server",
          runtimeProtocol: "http",
          databaseDriver: "InMemory",
          keyValueDriver: "redis",
          pm2Profile: "dev",
        }),
      );
    await expect.poll(() => focused(suite.page)).toBe("1");
    await expect.poll(() => suite.field("Name").inputValue()).toBe("");
  });

  longTest("an edit is in place", async () => {
    const suite = await open(a, b, c);
    await suite.button("Edit b").click();
    await suite.field("Region").fill("rack-9");
    await suite.button("Save Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, { ...b, region: "rack-9" }, c));
    await expect.poll(() => focused(suite.page)).toBe("1");
  });

  longTest("a delete asks first, and can be undone", async () => {
    const suite = await open(a, b, c);
    suite.answer(false);
    await suite.button("Delete b").click();
    await expect.poll(() => suite.questions).toEqual(["Delete deploy target b?"]);
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, b, c));
    suite.answer(true);
    await suite.button("Delete b").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, c));
    await suite.button("Undo").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, b, c));
    await suite.button("Delete c").click();
    await suite.button("Duplicate a").click();
    await expect.poll(() => suite.button("Undo").count()).toBe(0);
  });

  const refused: [string, Record<string, string>, Record<string, string>, RegExp][] = [
    ["a name that is taken, in another case", { Name: "A" }, {}, /"A" is taken by another deploy target/],
    ["no name", { Name: "" }, {}, /name is missing/],
    ["free text as a runtime", { Runtime: "latest" }, {}, /"latest" is not a name with a version/],
    ["a functions service on a PM2 target", {}, { "Service type": "functions" }, /serviceType.*functions/],
    ["a protocol that the type does not expose", {}, { Protocol: "websocket" }, /runtimeProtocol.*websocket/],
    ["a REST service on a functions target", { Region: "eu" }, { "Deploy target": "lambda" }, /serviceType.*restapi/],
    ["a cloud target without a region", { Region: "" }, { "Deploy target": "ec2" }, /region is missing/],
  ];
  longTest("add and edit use the same validation, which accepts no wrong entry", async () => {
    const suite = await open(a, b);
    const before = await suite.storedText();
    for (const [name, texts, choices, words] of refused) {
      for (const isEdit of [false, true]) {
        if (isEdit) await suite.button("Edit b").click();
        else await suite.field("Name").fill("new");
        await suite.field("Runtime").fill("node22");
        await suite.field("Service type").selectOption("restapi");
        for (const [label, value] of Object.entries(choices)) await suite.field(label).selectOption(value);
        for (const [label, value] of Object.entries(texts)) await suite.field(label).fill(value);
        await suite.button(isEdit ? "Save Target" : "Add Target").click();
        await expect
          .poll(() => suite.page.locator(".field-issue").allTextContents(), { message: name })
          .toContainEqual(expect.stringMatching(words));
        await expect.poll(() => suite.page.getByText(/^Not saved: /).count(), { message: name }).toBe(1);
        await expect.poll(() => suite.storedText(), { message: name }).toBe(before);
        await expect
          .poll(() => suite.page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")), {
            message: name,
          })
          .toBe("true");
      }
      await suite.button("Cancel Edit").click();
    }
  });
});

describe.skipIf(!hasBrowser)("2: editing", () => {
  longTest("loads the entry; the button becomes Save Target, with Cancel Edit", async () => {
    const suite = await open(a, lambda);
    await expect.poll(() => suite.button("Add Target").count()).toBe(1);
    await suite.button("Edit edge").click();
    await expect.poll(() => focused(suite.page)).toBe("Name");
    await expect.poll(() => suite.button("Add Target").count()).toBe(0);
    const shown = ["Name", "Deploy target", "Region", "Runtime", "Service type", "Protocol", "Database driver"];
    expect(await Promise.all(shown.map((label) => suite.field(label).inputValue()))).toEqual([
      "edge",
      "lambda",
      "eu",
      "node22",
      "functions",
      "http",
      "PostgreSQL",
    ]);
    await suite.field("Name").fill("other");
    await suite.button("Cancel Edit").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, lambda));
    await expect.poll(() => focused(suite.page)).toBe("1");
    await expect.poll(() => suite.button("Add Target").count()).toBe(1);
    await expect.poll(() => suite.button("Save Target").count()).toBe(0);
  });

  longTest("typed values are replaced by another entry only after a question", async () => {
    const suite = await open(a, b);
    await suite.field("Name").fill("typed");
    suite.answer(false);
    await suite.button("Edit b").click();
    await expect.poll(() => suite.questions).toHaveLength(1);
    await suite.page.locator("dialog[open]").waitFor({ state: "detached" });
    await expect.poll(() => suite.field("Name").inputValue()).toBe("typed");
    suite.answer(true);
    await suite.button("Edit b").click();
    await expect.poll(() => suite.field("Name").inputValue()).toBe("b");
    await expect.poll(() => suite.questions).toEqual(Array(2).fill("Discard what you have changed in the form?"));
    await suite.button("Edit a").click();
    await expect.poll(() => suite.questions).toHaveLength(2);
  });

  longTest("an edit may keep its own name, also in another case", async () => {
    const suite = await open(a, b);
    await suite.button("Edit a").click();
    await suite.button("Save Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, b));
    await suite.button("Edit a").click();
    await suite.field("Name").fill("A");
    await suite.button("Save Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf({ ...a, name: "A" }, b));
  });

  longTest.each([
    ["before it", "a", [{ ...b, region: "x" }, c]],
    ["after it", "c", [a, { ...b, region: "x" }]],
  ])("deleting an entry %s updates the index of the edit", async (_name, other, after) => {
    const suite = await open(a, b, c);
    await suite.button("Edit b").click();
    await suite.field("Region").fill("x");
    await suite.button(`Delete ${other}`).click();
    await suite.button("Save Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(...after));
  });

  longTest("deleting the entry itself cancels the edit, and the form saves nothing", async () => {
    const suite = await open(a, b, c);
    await suite.button("Edit b").click();
    await suite.field("Region").fill("x");
    await suite.button("Delete b").click();
    await expect.poll(() => suite.button("Add Target").count()).toBe(1);
    await expect.poll(() => suite.field("Region").inputValue()).toBe("");
    await expect.poll(() => suite.page.getByText("Its edit is cancelled.").count()).toBe(1);
    await suite.button("Add Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, c));
  });

  longTest("an entry that another tab has deleted is not saved over another entry", async () => {
    const suite = await open(a, b, c);
    await suite.button("Edit b").click();
    await suite.field("Region").fill("x");
    const other = await suite.page.context().newPage();
    await other.goto(suite.page.url());
    await other.getByRole("button", { name: "Delete b", exact: true }).click();
    await suite.page.getByText("was changed or deleted elsewhere").waitFor();
    await suite.button("Add Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, c, { ...b, region: "x" }));
  });
});

describe.skipIf(!hasBrowser)("3: duplicating", () => {
  longTest("(copy), (copy 2), in any case, and a copy of a copy", async () => {
    const suite = await open(a, { ...b, name: "A (COPY)" });
    await suite.button("Duplicate a").click();
    await suite.button("Duplicate a").click();
    await expect.poll(() => focused(suite.page)).toBe("3");
    await suite.button("Duplicate A (COPY)").click();
    const copies = ["a (copy 2)", "a (copy 3)", "A (COPY) (copy)"].map((name) => ({ ...a, name }));
    await expect.poll(() => suite.stored()).toEqual(suiteOf(a, { ...b, name: "A (COPY)" }, ...copies));
  });

  longTest("a copy is deep and independent, unknown keys included; editing it does not change the source", async () => {
    const source = { ...a, notes: { owner: ["x"] } };
    const suite = await open(source);
    await suite.button("Duplicate a").click();
    await suite.button("Edit a (copy)").click();
    await suite.field("Region").fill("rack-9");
    await suite.button("Save Target").click();
    await expect.poll(() => suite.stored()).toEqual(suiteOf(source, { ...source, name: "a (copy)", region: "rack-9" }));
  });
});

describe.skipIf(!hasBrowser)("4: hints", () => {
  longTest("PM2-managed: host information and PM2 profile; functions: runtime and version, no profile", async () => {
    const suite = await open();
    const hint = suite.page.locator("form .status-line.info");
    for (const target of ["dedicated-server", "vm", "ec2"]) {
      await suite.field("Deploy target").selectOption(target);
      await expect.poll(() => hint.textContent()).toMatch(/host information.*PM2 profile/);
      await expect.poll(() => suite.field("PM2 profile").isEnabled()).toBe(true);
    }
    await suite.field("PM2 profile").selectOption("production");
    for (const target of ["lambda", "vercel-functions", "cloudflare-workers"]) {
      await suite.field("Deploy target").selectOption(target);
      await expect.poll(() => hint.textContent()).toMatch(/runtime with its version/);
      await expect.poll(() => suite.field("PM2 profile").isDisabled()).toBe(true);
      await expect.poll(() => suite.field("PM2 profile").inputValue()).toBe("");
    }
    await suite.field("Name").fill("edge");
    await suite.field("Region").fill("eu");
    await suite.field("Runtime").fill("nodejs22.x");
    await suite.button("Add Target").click();
    const [added] = ((await suite.stored()) as { deployments: object[] }).deployments;
    expect(added).toMatchObject({ serviceType: "functions", deployTarget: "cloudflare-workers" });
    expect(added).not.toHaveProperty("pm2Profile");
  });

  longTest("the matrix is shown beside the form, with the selection", async () => {
    const suite = await open(a);
    const chosen = suite.page.getByRole("table").first().locator("td.chosen");
    await suite.field("Deploy target").selectOption("lambda");
    await expect.poll(() => chosen.textContent()).toBe("yes, your selection");
    await suite.field("Service type").selectOption("restapi");
    await expect.poll(() => chosen.textContent()).toBe("–no, your selection");
  });
});
