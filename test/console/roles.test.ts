/** The console with the token of a role. */
import { expect, test } from "vitest";
import { useBrowser } from "../browser/support.ts";
import { repository, testServer } from "../server/support.ts";
import { createToken } from "../support/tokens.ts";
import type { Role } from "../../src/core/api/rights.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();

/** Opens the environment page with the token that a save requires, and an edited value. */
async function edited(role: Role) {
  const files = repository();
  const token = await createToken(files.root, "bot", role);
  const server = await testServer({ repository: files });
  const opened = await openConsole(browser, server.url, { tab: "environment", mayFail: true });
  const { page, field, button } = opened;
  await field("HTTP framework").selectOption("fastify");
  await button("Save").click();
  await field("Token").fill(token);
  await button("Continue").click();
  return { ...opened, server, page };
}

test("with a viewer's token, the page shows its name and does not offer to save", async () => {
  const { page, button, server } = await edited("viewer");
  await page.getByText("bot (viewer)").waitFor();
  await page.getByText("Forbidden.").first().waitFor();
  await expect.poll(() => button("Save").isDisabled()).toBe(true);
  await expect
    .poll(() => button("Save").getAttribute("title"))
    .toBe("The token bot has the role viewer, which does not permit it.");
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=express");
});

longTest("with an editor's token, the page shows its name and can save", async () => {
  const { page, server } = await edited("editor");
  await page.getByText("bot (editor)").waitFor();
  await page.getByText("Saved 1 key to .env.dev.").waitFor();
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=fastify");
});
