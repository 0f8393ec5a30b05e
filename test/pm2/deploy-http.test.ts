import { expect, test } from "vitest";
import { deployPlanBody } from "../../src/core/api/deploy.ts";
import { begunBody } from "../../src/core/api/rollout-requests.ts";
import { eventsList, eventText, execute } from "../../src/core/index.ts";
import { post, testServer } from "../server/support.ts";
import { shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const PLAN = "/api/runtime/deploy/plan";
const DEPLOY = "/api/runtime/deploy";

test("over HTTP, a deploy names the commit and the plan that were read, and is an event", async () => {
  const server = await testServer({ world: () => shop.ports });
  const prepared = await post(server, { environment: "production" }, {}, PLAN);
  const { commit, plan, folder } = deployPlanBody.parse(prepared.json);
  expect([commit, shop.current()]).toEqual([shop.git("rev-parse", "HEAD"), null]);
  const named = { environment: "production", revision: commit, plan: plan.id };
  const stale = await post(server, { ...named, plan: "1234-5678" }, {}, DEPLOY);
  expect([stale.status, stale.json.code, shop.current()]).toEqual([409, "PLAN_STALE", null]);
  const begun = await post(server, named, {}, DEPLOY);
  expect(begun.status).toBe(202);
  expect(begunBody.parse(begun.json).release).not.toBeNull();
  await server.logged(/"deploy\.run".*"succeeded"/);
  expect([await shop.answer(), folder]).toEqual(["1", `${shop.root}/releases/${shop.current()}`]);
  const { events } = await execute(eventsList, shop.ports, { kind: "deploy" }, { source: "cli", grants: ["read"] });
  const id = folder.slice(-"20261127080501-4a91c77".length);
  expect(events.map(eventText)).toEqual([
    `Deployed commit ${commit.slice(0, 7)} as ${id} by anonymous (http).`,
    `The deploy of commit ${commit.slice(0, 7)} as ${id} by anonymous (http) failed.`,
  ]);
});

test.each([
  [{ environment: "production", plan: "1234-5678" }, "revision"],
  [{ environment: "production", revision: "main" }, "plan"],
  [{ environment: "production", revision: "main", plan: "1234-5678", from: "/etc" }, "from"],
])("POST %j is refused and names the member", async (body, member) => {
  const answer = await post(await testServer({ world: () => shop.ports }), body, {}, DEPLOY);
  expect(answer.status).toBe(400);
  expect(answer.json.details).toContain(member);
});
