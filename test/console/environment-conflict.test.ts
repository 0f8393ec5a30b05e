/** Unsaved edits if the file changes in the meantime, and if the user leaves. */
/// <reference lib="dom" />
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { environmentPage, type EnvironmentPage } from "./environment-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

/** An edit, an external change of the same file, and a save that was refused for that reason. */
async function conflicting(): Promise<EnvironmentPage> {
  const open = await environmentPage(browser, { mayFail: true });
  await open.field("HTTP framework").selectOption("fastify");
  open.changeFile("SVC_HTTP_FRAMEWORK=restify\nSVC_DATABASE_DRIVER=Mongo\n");
  await open.save();
  await open.button("Keep edits on top of the file").waitFor();
  return open;
}

async function stored({ page }: EnvironmentPage): Promise<string> {
  return page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
}

function chosen({ page }: EnvironmentPage): Promise<string> {
  return page.getByRole("combobox", { name: "Environment", exact: true }).inputValue();
}

describe.skipIf(!hasBrowser)("a file that another program changed", () => {
  longTest("is not written: its values are shown beside the edits, with the server's message", async () => {
    const open = await conflicting();
    const card = open.page.getByRole("region", { name: ".env.dev was changed meanwhile" });
    await expect
      .poll(() => card.locator(".problem").innerText())
      .toBe(
        "Environment file changed.\nThe file has changed since it was read. Read it again, then repeat the change.",
      );
    expect((await card.locator(".contests > div").allInnerTexts()).map((text) => text.split(/\s*\n\s*/))).toEqual([
      ["SVC_HTTP_FRAMEWORK", "File, when read", "express", "File, now", "restify", "Edited to", "fastify"],
      ["SVC_DATABASE_DRIVER", "File, when read", "InMemory", "File, now", "Mongo", "Edited to", "not edited"],
    ]);
    await expect.poll(() => open.button("Save").count()).toBe(0);
    await expect.poll(() => open.page.locator(":focus").innerText()).toContain("was changed meanwhile");
    expect(open.text()).toContain("SVC_HTTP_FRAMEWORK=restify\n");
    expect(open.posts).toHaveLength(1);
  });

  longTest("receives the edits only after the user keeps them and saves again", async () => {
    const open = await conflicting();
    await open.button("Keep edits on top of the file").click();
    const list = open.page.getByRole("list", { name: "Old and new values" });
    await expect.poll(() => list.innerText()).toMatch(/SVC_HTTP_FRAMEWORK\s+restify\s+becomes\s+fastify/);
    await expect.poll(() => open.field("Main database driver").inputValue()).toBe("Mongo");
    expect(open.posts).toHaveLength(1);
    await open.save();
    await open.page.getByText("Saved 1 key to .env.dev.").waitFor();
    expect(open.posts[1]?.body).toEqual({ environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    expect(open.posts[1]?.ifMatch).not.toBe(open.posts[0]?.ifMatch);
    expect(open.text()).toMatch(/SVC_HTTP_FRAMEWORK=fastify\nSVC_DATABASE_DRIVER=Mongo\n$/);
  });

  longTest("is accepted unchanged if the edits are discarded", async () => {
    const open = await conflicting();
    await open.button("Discard edits, take the file").click();
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("restify");
    await expect.poll(() => open.page.getByText("was changed meanwhile").count()).toBe(0);
    await expect.poll(() => open.button("Save").count()).toBe(0);
    expect(open.posts).toHaveLength(1);
  });

  longTest("is noticed by another read; a changed comment is reported as such", async () => {
    const open = await environmentPage(browser);
    await open.field("HTTP framework").waitFor();
    await open.button("Read the file again").click();
    await open.page.getByText("Read .env.dev again: it has not changed.").waitFor();
    await open.field("HTTP framework").selectOption("fastify");
    open.changeFile("# a comment\n");
    await open.button("Read the file again").click();
    await open.page.getByText("No key that is shown here differs: a comment or another key was changed.").waitFor();
    expect(open.posts).toEqual([]);
  });

  longTest("is loaded without a question if nothing was edited", async () => {
    const open = await environmentPage(browser);
    await open.field("HTTP framework").waitFor();
    open.changeFile("SVC_HTTP_FRAMEWORK=restify\n");
    await open.button("Read the file again").click();
    await open.page.getByText("Read .env.dev again: it has changed.").waitFor();
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("restify");
  });
});

describe.skipIf(!hasBrowser)("an unsaved edit", () => {
  longTest("keeps the environment selected until the user discards the edit", async () => {
    const open = await environmentPage(browser);
    await open.field("HTTP framework").selectOption("fastify");
    const environment = open.page.getByRole("combobox", { name: "Environment", exact: true });
    const question = open.answerNext(false);
    await environment.selectOption("staging");
    expect(await question).toBe("1 change to .env.dev not saved. Discard and continue?");
    expect(await chosen(open)).toBe("dev");
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("fastify");
    const again = open.answerNext(true);
    await environment.selectOption("staging");
    await again;
    await open.page.getByText(/^Saving writes .*\/\.env\.staging only$/).waitFor();
    await expect.poll(() => open.button("Save").count()).toBe(0);
    expect(open.posts).toEqual([]);
  });

  longTest("keeps the tab open against clicks, keys, links and the back button", async () => {
    const open = await environmentPage(browser);
    const { page } = open;
    await page.getByRole("link", { name: "PM2 preview" }).click();
    await page.getByRole("link", { name: "Runtime environment" }).click();
    await open.field("HTTP framework").selectOption("fastify");
    await page.getByRole("link", { name: "Runtime environment not saved" }).waitFor();
    const link = page.url();
    for (const leave of [
      () => page.getByRole("link", { name: "PM2 preview" }).click(),
      () => page.getByRole("link", { name: "PM2 preview" }).press("Enter"),
      () => page.getByRole("link", { name: "svcm console" }).click(),
      () => page.evaluate(() => history.back()),
    ]) {
      const question = open.answerNext(false);
      await leave();
      expect(await question).toContain("not saved");
      await page.waitForURL(link);
      await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("fastify");
    }
    const question = open.answerNext(true);
    await page.getByRole("link", { name: "PM2 preview" }).click();
    await question;
    await page.getByRole("heading", { name: "PM2 preview" }).waitFor();
    await page.getByRole("link", { name: "Runtime environment", exact: true }).click();
    await open.page.getByText(/^Saving writes .*\/\.env\.dev only$/).waitFor();
    await expect.poll(() => open.field("HTTP framework").inputValue()).toBe("express");
  });

  longTest("causes a question when the page is closed", async () => {
    const open = await environmentPage(browser);
    await open.field("HTTP framework").selectOption("fastify");
    // A browser asks only after an interaction with the page.
    await open.page.getByRole("heading", { name: "Editable keys" }).click();
    const question = open.answerNext(true);
    await open.page.close({ runBeforeUnload: true });
    expect(await question).toBe("");
  });

  longTest("is not stored; only the selection of the environment is", async () => {
    const open = await environmentPage(browser);
    await open.page.getByRole("combobox", { name: "Environment", exact: true }).selectOption("ci");
    await open.page.getByText(/^Saving writes .*\/\.env\.ci only$/).waitFor();
    await open.field("WebSocket Redis URL").fill("redis://stored-nowhere");
    expect(await stored(open)).toContain('\\"runtimeEnvironment\\":\\"ci\\"');
    expect(await stored(open)).not.toContain("stored-nowhere");
    expect(await stored(open)).not.toContain("SVC_");
    const question = open.answerNext(true);
    await open.page.reload();
    await question;
    await open.page.getByText(/^Saving writes .*\/\.env\.ci only$/).waitFor();
    await expect.poll(() => open.field("WebSocket Redis URL").inputValue()).toBe("");
  });
});

longTest.skipIf(!hasBrowser)("a conflict is accessible in every theme", async () => {
  await expectAccessibleInEveryLook(await conflicting());
});
