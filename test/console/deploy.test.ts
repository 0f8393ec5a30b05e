/** The view of a deploy in the tab Plan, over real Git and a real PM2. */
import { expect } from "vitest";
import { useBrowser } from "../browser/support.ts";
import { execute, proposalCreate } from "../../src/core/index.ts";
import { shopUnderPm2 } from "../pm2/deployed-shop.ts";
import { ask, testServer } from "../server/support.ts";
import { openConsole } from "./open-console.ts";
import { flat } from "./plan-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const shop = shopUnderPm2();

longTest("a user sees the commits between, deploys, watches the steps, and goes back", async () => {
  await shop.deploy();
  const first = shop.git("rev-parse", "--short=7", "HEAD");
  shop.publish({ VERSION: "1.5" });
  shop.publish({ VERSION: "2" });
  const second = shop.git("rev-parse", "--short=7", "HEAD");
  const server = await testServer({ world: () => shop.ports });
  const { page, button, field } = await openConsole(browser, server.url, { tab: "plan", mayFail: true });
  await button("Deploy a commit…").click();
  await field("Branch, tag or commit (by default the branch that the checkout follows)").fill("no-such-branch");
  await button("Prepare").click();
  await page.getByText("is not a revision of the source").waitFor();
  await field("Branch, tag or commit (by default the branch that the checkout follows)").fill("");
  await button("Prepare").click();
  const commits = page.getByRole("list", { name: "New commits" });
  await commits.waitFor();
  expect(flat(await commits.textContent())).toMatch(/version 2.*version 1\.5/);
  const card = page.getByRole("region", { name: "Deploy to production" });
  expect(flat(await card.textContent())).toContain(`${first} to ${second}`);
  expect(await shop.answer()).toBe("1");

  await button(`Deploy ${second}…`).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Type production").fill("production");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByText("Done. The processes run as planned.").waitFor();
  expect([await shop.answer(), await card.count()]).toEqual(["2", 0]);
  expect(await page.getByRole("list", { name: "Steps of the release" }).first().textContent()).toContain("web");

  await button("Undo…").click();
  await dialog.getByText("Code and configuration go back").waitFor();
  await dialog.getByLabel("Type production").fill("production");
  await dialog.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("region", { name: /undoes/ }).waitFor();
  await page.getByText("Done. The processes run as planned.").waitFor();
  expect(await shop.answer()).toBe("1");
});

longTest("a proposal to deploy is approved with the plan of its commit, and another one is denied", async () => {
  const robot = { source: "mcp", actor: "robot", role: "viewer", grants: ["read", "propose"] } as const;
  const propose = () => execute(proposalCreate, shop.ports, { kind: "deploy", environment: "production" }, robot);
  const commit = shop.publish({ VERSION: "3" });
  const [first, second] = [await propose(), await propose()];
  const token = "a-token-of-the-whole-server";
  const open = await testServer({ world: () => shop.ports });
  const server = await testServer({ world: () => shop.ports, env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: token } });
  const closed = await openConsole(browser, open.url, { mayFail: true });
  await closed.page.locator("button:disabled", { hasText: "Approve…" }).first().waitFor();
  const { page, field, button } = await openConsole(browser, server.url, { mayFail: true });
  const cards = page.getByRole("listitem").filter({ hasText: "robot proposes to deploy a commit in production" });
  await expect.poll(() => cards.count()).toBe(2);
  expect(await cards.first().innerText()).toContain(commit);
  expect(await cards.first().innerText()).toMatch(/as the first release of svcm here|in place of [0-9a-f]{40}/);
  await cards.first().getByRole("button", { name: "Approve…" }).click();
  await field("Token").fill(token);
  await button("Continue").click();
  const dialog = page.getByRole("dialog", { name: `Approve ${second.id} in production?` });
  await dialog.getByText(/^web (?:reload|start)/).waitFor();
  await dialog.getByLabel("Type production").fill("production");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await expect.poll(() => cards.count()).toBe(1);
  await cards.getByRole("button", { name: "Deny" }).click();
  await expect.poll(() => cards.count()).toBe(0);
  const { json } = await ask(server, "/api/proposals");
  const states = json.proposals.map(({ id, state }: { id: string; state: string }) => [id, state]);
  expect(Object.fromEntries(states)).toEqual({ [second.id]: "approved", [first.id]: "denied" });
});
