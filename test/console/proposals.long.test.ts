/// <reference lib="dom" />
/** The proposals of programs in the attention of Monitoring. */
import { expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { execute, proposalCreate, type Ports } from "../../src/core/index.ts";
import { ask, repository, testServer } from "../server/support.ts";
import { openConsole } from "./open-console.ts";

const browser = useBrowser();
const TOKEN = "a-token-of-the-whole-server";
const robot = { source: "mcp", actor: "robot", role: "viewer", grants: ["read", "propose"] } as const;

test.skipIf(!hasBrowser)("a proposal is approved by a user with a token and another one is denied", async () => {
  const files = repository();
  const env = { PM2_HOME: "/nowhere/pm2" };
  let ports: Ports | undefined;
  const open = await testServer({ repository: files, env, world: (own) => (ports = own) });
  const propose = (framework: string) =>
    execute(
      proposalCreate,
      ports!,
      { kind: "env.write", environment: "dev", values: { SVC_HTTP_FRAMEWORK: framework } },
      robot,
    );
  const [first, second] = [await propose("restify"), await propose("fastify")];
  // A server without tokens does not know who approves.
  const closed = await openConsole(browser, open.url, { mayFail: true });
  await closed.page.locator("button:disabled", { hasText: "Approve…" }).first().waitFor();

  const server = await testServer({ repository: files, env: { ...env, SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: TOKEN } });
  const { page, field, button } = await openConsole(browser, server.url, { mayFail: true });
  const cards = page.getByRole("listitem").filter({ hasText: "robot proposes to change an env file in dev" });
  await expect.poll(() => cards.count()).toBe(2);
  expect(await cards.first().innerText()).toContain("fastify");
  await cards.first().getByRole("button", { name: "Approve…" }).click();
  const dialog = page.getByRole("dialog", { name: `Approve ${second.id} in dev?` });
  await dialog.getByLabel("Type dev").fill("dev");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await field("Token").fill(TOKEN);
  await button("Continue").click();
  await expect.poll(() => cards.count()).toBe(1);
  await cards.getByRole("button", { name: "Deny" }).click();
  await expect.poll(() => cards.count()).toBe(0);
  const { json } = await ask(server, "/api/proposals");
  const states = json.proposals.map(({ id, state }: { id: string; state: string }) => [id, state]);
  expect(Object.fromEntries(states)).toEqual({ [second.id]: "approved", [first.id]: "denied" });
  expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=express");
});
