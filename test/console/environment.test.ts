/// <reference lib="dom" />
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { canMount, mount } from "../support/machine.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { environmentPage, referenceFiles, type EnvironmentPage } from "./environment-page.ts";
import { expectAccessible, looks } from "./served-console.ts";

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

describe.skipIf(!hasBrowser)("what is shown", () => {
  test("each editable key is a labelled control that offers exactly what the contract says", async () => {
    const open = await environmentPage(browser);
    await open.field("HTTP framework").waitFor();
    const editable = Object.entries(await contractOf(open)).filter(([, { tier }]) => tier === "editable");
    expect(editable.length).toBe(9);
    for (const [key, { kind, label, accepted }] of editable) {
      const field = open.page.locator(".field", { has: open.page.getByText(key, { exact: true }) });
      expect(await field.getByLabel(label, { exact: true }).count(), key).toBe(1);
      if (kind === "enum") expect((await optionsOf(open, label)).toSorted(), key).toEqual([...accepted].toSorted());
    }
    expect(await open.page.locator(".fields .field").count()).toBe(9);
    expect(await optionsOf(open, "HTTP framework")).toHaveLength(11);
    expect(await optionsOf(open, "Main database driver")).toContain("MSSQL");
    expect(await optionsOf(open, "Realtime database driver")).toContain("MS SQL");
    expect(await open.field("WebSocket adapter").locator("option").allTextContents()).toEqual([
      "in-memory (empty)",
      "cluster",
      "redis-streams",
    ]);
  });

  test("the environments of the contract, and the one file that the next save writes", async () => {
    const open = await environmentPage(browser);
    const choices = open.page.getByRole("group", { name: "Environment" });
    await choices.waitFor();
    expect(flat(await choices.innerText())).toBe("Environment dev staging ci");
    for (const name of ["staging", "ci", "dev"]) {
      await open.page.getByRole("radio", { name, exact: true }).check();
      await open.page.getByText(`Saving writes .env.${name} only`).waitFor();
    }
  });

  test("read-only keys stand apart, without a control, with the contract's reason", async () => {
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
    expect(await card.locator("input, select, textarea, button").count()).toBe(0);
  });

  test("a secret of a file reaches the browser in no byte, whatever is done", async () => {
    const open = await environmentPage(browser, { files: withSecrets() });
    const { page } = open;
    await page.reload();
    await open.field("Compare dev with").selectOption("staging");
    await page.getByText("never shown").first().waitFor();
    await page.getByText("ENV_LINE_UNREADABLE").waitFor();
    expect(await open.field("WebSocket Redis URL").inputValue()).toBe("redis://[REDACTED]@host:6379");
    await open.field("HTTP framework").selectOption("fastify");
    await open.save();
    await page.getByText("Saved 1 key to .env.dev.").waitFor();
    open.changeFile("SVC_REDIS_PASSWORD=canary-later\n");
    await open.field("Realtime API").selectOption("no");
    await open.save();
    await page.getByText("was changed meanwhile").first().waitFor();
    expect(open.text().match(/canary/g)).toHaveLength(5);
    expect(await open.received()).toContain("SVC_RABBITMQ_URL");
    expect(await open.received()).not.toContain("canary");
    expect(await page.content()).not.toContain("canary");
  });

  test("where two environments differ, and what is wrong with a file, line by line", async () => {
    const open = await environmentPage(browser);
    open.changeFile("SVC_HTTP_FRAMEWORK=derby\n", "ci");
    await open.field("Compare dev with").selectOption("ci");
    const differences = open.page.getByLabel("Differences between dev and ci");
    await differences.waitFor();
    expect(await differences.innerText()).toMatch(/SVC_DATABASE_NAME\s+dev\s+svcm_dev\s+ci\s+svcm_ci/);
    await open.page.getByText("The file keeps the runtime contract.").waitFor();
    await open.page.getByRole("radio", { name: "ci" }).check();
    const issues = open.page.getByRole("list", { name: "Issues of .env.ci" });
    expect(await issues.innerText()).toMatch(/unsupported value "derby"[\s\S]*line\s\d+\s*ENV_VALUE_UNSUPPORTED/);
    expect(await open.field("HTTP framework").locator("option:checked").innerText()).toBe("derby (not accepted)");
  });

  test("a file that is not there: the server's words, and what to do", async () => {
    const open = await environmentPage(browser, { files: makeWorkspace({}) });
    const path = open.files.path(`${CONFIG_FOLDER}/.env.dev`);
    const said = open.page.locator(".problem");
    await said.waitFor();
    const body = (await (await fetch(`${open.server.url}/api/runtime/env?environment=dev`)).json()) as {
      details: string;
    };
    expect((await said.innerText()).split("\n")).toEqual([
      "Environment file operation failed.",
      body.details,
      "Code ENV_FILE_NOT_FOUND",
      `Path ${path}`,
    ]);
    await open.page.getByText("dev has no env file.").waitFor();
    writeFileSync(path, GOOD_ENV);
    await open.button("Try again").click();
    await open.field("HTTP framework").waitFor();
    expect(await said.count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser)("a save", () => {
  test("posts the changed keys only, against the file that was read, and names what the server changed", async () => {
    const open = await environmentPage(browser);
    const [before, others] = [open.text(), [open.text("staging"), open.text("ci")]];
    const { headers } = await fetch(`${open.server.url}/api/runtime/env?environment=dev`);
    await open.field("HTTP framework").selectOption("fastify");
    await open.field("Realtime database driver").selectOption("MS SQL");
    const list = open.page.getByRole("list", { name: "Old and new values" });
    expect((await list.getByRole("listitem").allInnerTexts()).map(flat)).toEqual([
      "SVC_HTTP_FRAMEWORK express becomes fastify",
      "SVC_REALTIME_API_DATABASE_DRIVER Mongo becomes MS SQL",
    ]);
    expect(open.posts).toEqual([]);
    await open.save();
    await open.page.getByText("Saved 2 keys to .env.dev.").waitFor();
    const said = flat(await open.page.getByRole("region", { name: "Changes" }).innerText());
    expect(said).toContain("SVC_HTTP_FRAMEWORK is now fastify");
    expect(said).toContain("SVC_REALTIME_API_DATABASE_DRIVER is now MS SQL");
    const values = { SVC_HTTP_FRAMEWORK: "fastify", SVC_REALTIME_API_DATABASE_DRIVER: "MS SQL" };
    expect(open.posts).toEqual([{ ifMatch: headers.get("etag"), body: { environment: "dev", values } }]);
    expect(open.text()).toBe(
      before.replace("FRAMEWORK=express", "FRAMEWORK=fastify").replace("DRIVER=Mongo", "DRIVER='MS SQL'"),
    );
    expect([open.text("staging"), open.text("ci")]).toEqual(others);
    await open.field("HTTP framework").selectOption("restify");
    await open.save();
    await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect(open.posts[1]?.body).toEqual({ environment: "dev", values: { SVC_HTTP_FRAMEWORK: "restify" } });
  });

  test("does not exist where nothing is changed, or is changed back, or discarded", async () => {
    const open = await environmentPage(browser);
    const before = open.text();
    await open.field("HTTP framework").waitFor();
    expect(await open.button("Save").count()).toBe(0);
    await open.field("HTTP framework").selectOption("fastify");
    await open.button("Save").waitFor();
    await open.field("HTTP framework").selectOption("express");
    await open.button("Save").waitFor({ state: "detached" });
    await open.field("HTTP framework").selectOption("fastify");
    await open.button("Discard").click();
    expect(await open.field("HTTP framework").inputValue()).toBe("express");
    expect([open.posts, open.text()]).toEqual([[], before]);
    expect(readdirSync(open.files.root)).not.toContain(".svcm");
  });

  test("waits for a Redis URL that the server would take; credentials are repeated nowhere", async () => {
    const open = await environmentPage(browser);
    const url = open.field("WebSocket Redis URL");
    for (const [typed, message] of [
      ["http://host", /unsupported value "http:\/\/host"; accepted: redis:/],
      ["redis://me:canary@host", /"redis:\/\/\[REDACTED\]@host" carries credentials/],
    ] as const) {
      await url.fill(typed);
      expect(await url.getAttribute("aria-invalid")).toBe("true");
      const about = open.page.locator(`[id="${await url.getAttribute("aria-describedby")}"]`);
      expect(await about.innerText()).toMatch(message);
      await open.page.getByText("1 problem to fix before saving").waitFor();
      expect(await open.button("Save").isDisabled()).toBe(true);
      expect(await open.page.locator("main").innerText()).not.toContain("canary");
    }
    await url.fill("rediss://host:6380");
    await open.save();
    await open.page.getByText("SVC_WEBSOCKET_REDIS_URL is now rediss://host:6380").waitFor();
    expect(open.posts).toHaveLength(1);
    expect(open.text()).toContain("\nSVC_WEBSOCKET_REDIS_URL=rediss://host:6380\n");
  });

  test("can be made with the keyboard alone", async () => {
    const open = await environmentPage(browser);
    const { page } = open;
    await open.field("HTTP framework").waitFor();
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.id || (document.activeElement?.textContent ?? ""));
    const tabTo = async (wanted: string): Promise<void> => {
      for (let step = 0; step < 60 && (await focused()) !== wanted; step++) await page.keyboard.press("Tab");
      expect(await focused()).toBe(wanted);
    };
    await tabTo((await open.field("HTTP framework").getAttribute("id")) ?? "");
    await page.keyboard.press("ArrowDown");
    await tabTo("Save");
    await page.keyboard.press("Enter");
    await page.getByText("SVC_HTTP_FRAMEWORK is now fastify").waitFor();
    expect(open.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
    expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Changes");
  });

  test.skipIf(!canMount)(
    "onto a full disk: error, details, code and path as they came, and the edit is kept",
    async () => {
      const files = makeWorkspace({});
      mount(files.path(CONFIG_FOLDER), "-t", "tmpfs", "-o", "size=64k", "tmpfs");
      files.write(`${CONFIG_FOLDER}/.env.dev`, GOOD_ENV);
      const open = await environmentPage(browser, { files });
      await open.field("HTTP framework").selectOption("fastify");
      expect(() => files.write(`${CONFIG_FOLDER}/ballast`, Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
      const answer = open.page.waitForResponse((response) => response.request().method() === "POST");
      await open.save();
      const { error, details, code, path } = (await (await answer).json()) as Record<string, string>;
      expect([code, path]).toEqual(["ENOSPC", files.path(`${CONFIG_FOLDER}/.env.dev`)]);
      const said = open.page.locator(".save-bar .problem");
      expect((await said.innerText()).split("\n")).toEqual([error, details, `Code ${code}`, `Path ${path}`]);
      expect(await open.field("HTTP framework").inputValue()).toBe("fastify");
      expect(open.text()).toBe(GOOD_ENV);
    },
  );

  test("that the server refuses: each issue at its field, and all of them together", async () => {
    const files = referenceFiles();
    const contract = readFileSync(join(REPOSITORY, "config/runtime-contract.yaml"), "utf8");
    files.write(
      "config/runtime-contract.yaml",
      contract.replace("      - total-js\n", "      - total-js\n      - koa\n"),
    );
    const open = await environmentPage(browser, { files });
    const before = open.text();
    await open.field("HTTP framework").selectOption("koa");
    files.write("config/runtime-contract.yaml", contract);
    await open.save();
    const message = 'SVC_HTTP_FRAMEWORK: unsupported value "koa"';
    const summary = open.page.getByRole("list", { name: "What was refused" });
    expect(await summary.innerText()).toContain(message);
    expect(await open.page.locator(".save-bar .problem").innerText()).toContain("Invalid payload.");
    expect(await open.page.locator(".field", { hasText: "HTTP framework" }).innerText()).toContain(message);
    expect(await open.field("HTTP framework").getAttribute("aria-invalid")).toBe("true");
    expect(open.text()).toBe(before);
  });

  test("asks for the token where the server wants one, and goes on with it", async () => {
    const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token-of-a-test-1234567890" };
    const open = await environmentPage(browser, { env });
    await open.field("HTTP framework").selectOption("fastify");
    await open.save();
    await open.button("Cancel").click();
    expect(await open.page.locator(".save-bar .problem").innerText()).toBe("Unauthorized.");
    await open.save();
    await open.field("Token").fill(env.SVC_SERVICE_MANAGEMENT_AUTH_TOKEN);
    await open.page.keyboard.press("Enter");
    await open.page.getByText("SVC_HTTP_FRAMEWORK is now fastify").waitFor();
    expect(open.text()).toContain("SVC_HTTP_FRAMEWORK=fastify\n");
  });
});

describe.skipIf(!hasBrowser).each(looks)("$theme, on a phone: $isPhone", (look) => {
  test("the form, an error and a result are accessible", async () => {
    const open = await environmentPage(browser, look);
    await open.field("Compare dev with").selectOption("ci");
    await open.page.getByLabel("Differences between dev and ci").waitFor();
    await expectAccessible(open);
    await open.field("Main database driver").selectOption("IndexedDB");
    await open.page.getByText("IndexedDB works in a browser only").waitFor();
    await open.field("WebSocket Redis URL").fill("nothing");
    await expectAccessible(open);
    const field = await open.field("WebSocket Redis URL").boundingBox();
    const bar = await open.page.locator(".changes").boundingBox();
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
    await open.field("WebSocket Redis URL").fill("");
    await open.save();
    await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
    await expectAccessible(open);
  });
});

/** A text as it is read, whatever its line breaks. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function withSecrets() {
  const files = referenceFiles();
  const secrets = [
    "SVC_JWT_TOKEN_SECRET_KEY=canary-jwt",
    "SVC_RABBITMQ_URL=amqp://user:canary-amqp@host",
    "SVC_WEBSOCKET_REDIS_URL=redis://:canary-redis@host:6379",
    "canary is no assignment",
    "",
  ].join("\n");
  for (const name of ["dev", "staging", "ci"]) {
    const file = `${CONFIG_FOLDER}/.env.${name}`;
    files.write(file, files.read(file) + secrets.replaceAll("canary", name === "dev" ? "canary" : `canary-${name}`));
  }
  return files;
}
