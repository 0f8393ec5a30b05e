/// <reference lib="dom" />
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { expectAccessible, expectAccessibleInEveryLook, inEveryLook } from "./accessibility.ts";
import { environmentPage, flat, referenceFiles, type EnvironmentPage } from "./environment-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

interface Key {
  readonly kind: string;
  readonly tier: string;
  readonly label: string;
  readonly reason: string;
  readonly accepted: readonly string[];
}

async function contractOf({ server }: EnvironmentPage): Promise<Record<string, Key>> {
  const body = (await (await fetch(`${server.url}/api/runtime/contract`)).json()) as {
    runtimeContract: { keys: Record<string, Key> };
  };
  return body.runtimeContract.keys;
}

async function optionsOf(open: EnvironmentPage, label: string): Promise<string[]> {
  return open
    .field(label)
    .locator("option")
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
}

describe.skipIf(!hasBrowser)("the tab of the runtime environment", () => {
  longTest("each editable key has a labelled control that offers exactly the values of the contract", async () => {
    const open = await environmentPage(browser);
    await open.field("HTTP framework").waitFor();
    const editable = Object.entries(await contractOf(open)).filter(([, { tier }]) => tier === "editable");
    expect(editable.length).toBe(9);
    for (const [key, { kind, label, accepted }] of editable) {
      const field = open.page.locator(".field", { has: open.page.getByText(key, { exact: true }) });
      await expect.poll(() => field.getByLabel(label, { exact: true }).count(), { message: key }).toBe(1);
      if (kind === "enum") expect((await optionsOf(open, label)).toSorted(), key).toEqual([...accepted].toSorted());
    }
    await expect.poll(() => open.page.locator(".fields .field").count()).toBe(9);
    // The lists come from the specification, so that the contract file cannot add a key unnoticed.
    expect((await optionsOf(open, "HTTP framework")).toSorted().join(" ")).toBe(
      "adonis-js cloudflare-workers derby-js express fastify feathers loopback restify sails-js total-js vercel-functions",
    );
    expect((await optionsOf(open, "Main database driver")).toSorted().join(", ")).toBe(
      "Aurora, Cassandra, DynamoDB, Firebase, InMemory, IndexedDB, MSSQL, Mongo, MySQL, Oracle, PostgreSQL, RDS, SQLite",
    );
    expect((await optionsOf(open, "Realtime database driver")).toSorted().join(", ")).toBe(
      "Aurora, Cassandra, MS SQL, Mongo, MySQL, PostgreSQL, RDS",
    );
    await expect
      .poll(() => open.field("WebSocket adapter").locator("option").allTextContents())
      .toEqual(["in-memory (empty)", "cluster", "redis-streams"]);
  });

  longTest(
    "the two database drivers are independent: changing one keeps the other, in the form and in the file",
    async () => {
      const open = await environmentPage(browser);
      const [main, realtime] = [open.field("Main database driver"), open.field("Realtime database driver")];
      await realtime.selectOption("MS SQL");
      await expect.poll(() => main.inputValue()).toBe("InMemory");
      await open.save();
      await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
      expect(open.text()).toMatch(/^SVC_DATABASE_DRIVER=InMemory$/m);
      await main.selectOption("MSSQL");
      await expect.poll(() => realtime.inputValue()).toBe("MS SQL");
      await open.save();
      await open.page.getByText("SVC_DATABASE_DRIVER is now MSSQL").waitFor();
      expect(open.text()).toMatch(/^SVC_DATABASE_DRIVER=MSSQL$[\s\S]*^SVC_REALTIME_API_DATABASE_DRIVER='MS SQL'$/m);
    },
  );

  longTest("lists the environments of the contract, and names the file that the next save writes", async () => {
    const open = await environmentPage(browser);
    const choices = open.page.getByRole("combobox", { name: "Environment", exact: true });
    await choices.waitFor();
    expect(flat(await choices.innerText())).toBe("dev staging ci");
    for (const name of ["staging", "ci", "dev"]) {
      await choices.selectOption(name);
      await open.page.getByText(`Saving writes ${open.files.path(`${CONFIG_FOLDER}/.env.${name}`)} only`).waitFor();
    }
  });

  longTest("read-only keys are in a separate card, without a control, with the contract's reason", async () => {
    const open = await environmentPage(browser);
    const card = open.page.getByRole("region", { name: "Read-only keys" });
    await card.waitFor();
    const readOnly = Object.entries(await contractOf(open)).filter(([, { tier }]) => tier === "read-only");
    expect(readOnly).toHaveLength(14);
    const shown = await card.innerText();
    for (const [key, { reason }] of readOnly) {
      expect(shown).toContain(key);
      expect(shown).toContain(reason);
    }
    expect(shown).toContain("svcm_dev");
    await expect.poll(() => card.locator("input, select, textarea, button").count()).toBe(0);
  });

  longTest("no secret of a file reaches the browser, whatever the user does", async () => {
    const open = await environmentPage(browser, { files: withSecrets(), isRecorded: true, mayFail: true });
    const { page } = open;
    await page.reload();
    await open.field("Compare dev with").selectOption("staging");
    await page.getByText("never shown").first().waitFor();
    await page.getByText("ENV_LINE_UNREADABLE").waitFor();
    await expect.poll(() => open.field("WebSocket Redis URL").inputValue()).toBe("redis://[REDACTED]@host:6379");
    await open.field("HTTP framework").selectOption("fastify");
    await open.save();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    open.changeFile("SVC_REDIS_PASSWORD=canary-later\n");
    await open.field("Realtime API").selectOption("no");
    await open.save();
    await page.getByText("was changed meanwhile").first().waitFor();
    expect(open.text().match(/canary/g)).toHaveLength(5);
    await expect.poll(() => open.received()).toContain("SVC_RABBITMQ_URL");
    await expect.poll(() => open.received()).not.toContain("canary");
    await expect.poll(() => page.content()).not.toContain("canary");
  });

  longTest("shows the differences of two environments, and the issues of a file with lines", async () => {
    const open = await environmentPage(browser);
    open.changeFile("SVC_HTTP_FRAMEWORK=derby\n", "ci");
    await open.field("Compare dev with").selectOption("ci");
    const differences = open.page.getByLabel("Differences between dev and ci");
    await differences.waitFor();
    await expect.poll(() => differences.innerText()).toMatch(/SVC_DATABASE_NAME\s+dev\s+svcm_dev\s+ci\s+svcm_ci/);
    await open.page.getByText("The file follows the runtime contract.").waitFor();
    await open.page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("ci");
    const issues = open.page.getByRole("list", { name: "Issues of .env.ci" });
    await expect
      .poll(() => issues.innerText())
      .toMatch(/unsupported value "derby"[\s\S]*line\s\d+\s*ENV_VALUE_UNSUPPORTED/);
    await expect
      .poll(() => open.field("HTTP framework").locator("option:checked").innerText())
      .toBe("derby (not accepted)");
  });

  test("if the file is missing, the server's message and the next step are shown", async () => {
    const open = await environmentPage(browser, { files: makeWorkspace({}), mayFail: true });
    const path = open.files.path(`${CONFIG_FOLDER}/.env.dev`);
    const problem = open.page.locator(".problem");
    await problem.waitFor();
    const body = (await (await fetch(`${open.server.url}/api/runtime/env?environment=dev`)).json()) as {
      details: string;
    };
    expect((await problem.innerText()).split("\n")).toEqual([
      "Environment file operation failed.",
      body.details,
      "Code ENV_FILE_NOT_FOUND",
      `Path ${path}`,
    ]);
    await open.page.getByText("dev has no env file.").waitFor();
    writeFileSync(path, GOOD_ENV);
    await open.button("Try again").click();
    await open.field("HTTP framework").waitFor();
    await expect.poll(() => problem.count()).toBe(0);
  });
});

longTest.skipIf(!hasBrowser)("the form, an error and a result are accessible in every theme", async () => {
  const open = await environmentPage(browser);
  await open.field("Compare dev with").selectOption("ci");
  await open.page.getByLabel("Differences between dev and ci").waitFor();
  await expectAccessibleInEveryLook(open);
  await open.field("Main database driver").selectOption("IndexedDB");
  await open.page.getByText("IndexedDB works in a browser only").waitFor();
  await inEveryLook(open.page, async () => {
    await open.field("WebSocket Redis URL").fill("");
    await open.field("WebSocket Redis URL").fill("nothing");
    await expectAccessible(open);
    const field = await open.field("WebSocket Redis URL").boundingBox();
    const bar = await open.page.locator(".changes").boundingBox();
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
  });
  await open.field("WebSocket Redis URL").fill("");
  await open.save();
  await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
  await expectAccessibleInEveryLook(open);
});

function withSecrets() {
  const files = referenceFiles();
  const secrets = [
    "SVC_JWT_TOKEN_SECRET_KEY=canary-jwt",
    "SVC_RABBITMQ_URL=amqp://user:canary-amqp@host",
    "SVC_WEBSOCKET_REDIS_URL=redis://:canary-redis@host:6379",
    "canary without an assignment",
    "",
  ].join("\n");
  for (const name of ["dev", "staging", "ci"]) {
    const file = `${CONFIG_FOLDER}/.env.${name}`;
    files.write(file, files.read(file) + secrets.replaceAll("canary", name === "dev" ? "canary" : `canary-${name}`));
  }
  return files;
}
