/** A deploy over HTTP, and one that a program proposes: none of its code runs until a user has read its plan and approved exactly both. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { deployPlanBody } from "../../src/core/api/deploy.ts";
import { begunBody } from "../../src/core/api/rollout-requests.ts";
import {
  deployPlan,
  envApp,
  eventsList,
  eventText,
  execute,
  proposalApprove,
  proposalCreate,
  proposalRun,
  type SvcmError,
} from "../../src/core/index.ts";
import { post, testServer } from "../server/support.ts";
import { shopUnderPm2 } from "./deployed-shop.ts";
import { isLong, longTest } from "../support/runs.ts";

const robot = { source: "mcp", actor: "robot", role: "viewer", grants: ["read", "propose"] } as const;
const ann = { source: "http", actor: "ann", role: "editor", grants: ["read", "logs", "act", "write"] } as const;
const shop = shopUnderPm2();
const PLAN = "/api/runtime/deploy/plan";
const DEPLOY = "/api/runtime/deploy";

const propose = (more: object = {}) =>
  execute(proposalCreate, shop.ports, { kind: "deploy", environment: "production", ...more }, robot);
const codeOf = (done: Promise<unknown>): Promise<string | undefined> =>
  done.then(
    () => "done",
    (error: SvcmError) => error.body.code ?? error.kind,
  );

let first: readonly string[] = [];

beforeAll(async () => {
  const project = readFileSync(join(shop.checkout, "svcm.yaml"), "utf8");
  appendFileSync(join(shop.checkout, ".env.production"), "REGION=eu\n");
  shop.publish({ "svcm.yaml": `${project}  REGION: { kind: text, tier: read-only }\n` });
  if (isLong) first = (await propose({ revision: "main" })).summary;
});

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

test("svcm env get --app compares with the release that runs, and so sees a value that changed after the deploy", async () => {
  const region = async () => {
    const { values } = await execute(
      envApp,
      shop.ports,
      { environment: "production", app: "web", keys: ["REGION"] },
      ann,
    );
    return values.map(({ value, running }) => `${value} ${running}`);
  };
  expect(await region()).toEqual(["eu same"]);
  const file = join(shop.checkout, ".env.production");
  writeFileSync(file, readFileSync(file, "utf8").replace("=eu", "=us"));
  expect(await region()).toEqual(["us former"]);
});

longTest(
  "a proposed commit is deployed with the plan that the approver read, also if the branch moves on",
  async () => {
    const before = shop.releases();
    const commit = shop.publish({ VERSION: "two" });
    expect(first.at(-1)).toBe("as the first release of svcm here");
    const proposed = await propose({ revision: "main" });
    expect(proposed.summary.at(-1)).toBe(`in place of ${shop.git("rev-parse", shop.current()!.slice(-7))}`);
    expect(proposed).toMatchObject({ kind: "deploy", state: "pending", commit });
    expect(proposed.summary.join("\n")).toContain(`deploy ${commit} "version two"`);
    expect([shop.releases(), await shop.answer()]).toEqual([before, "1"]);
    shop.publish({ VERSION: "three" });
    const { id, planId } = proposed;
    expect(await codeOf(execute(proposalRun, shop.ports, { id }, robot))).toBe("PROPOSAL_NOT_APPROVED");
    const approve = (deployed?: string) =>
      execute(proposalApprove, shop.ports, { id, planId, ...(deployed && { deployPlan: deployed }) }, ann);
    expect(await codeOf(approve())).toBe("INVALID_REQUEST");
    expect(await codeOf(approve("0000-0000"))).toBe("PROPOSAL_STALE");
    const read = await execute(deployPlan, shop.ports, { environment: "production", revision: commit }, ann);
    expect(read.plan.changed).toBe(true);
    await approve(read.plan.id!);
    expect(await shop.answer()).toBe("1");
    expect(await execute(proposalRun, shop.ports, { id }, robot)).toMatchObject({
      state: "done",
      outcome: expect.stringContaining("deploy ") as string,
    });
    expect(await shop.answer()).toBe("two");
    expect(await codeOf(execute(proposalRun, shop.ports, { id }, robot))).toBe("PROPOSAL_ENDED");
  },
);

test("what runs already, an unknown revision and members of another kind are refused", async () => {
  expect(await codeOf(propose({ revision: shop.git("rev-parse", shop.current()!.slice(-7)) }))).toBe("PROPOSAL_EMPTY");
  expect(await codeOf(propose({ revision: "no-such-branch" }))).toBe("REVISION_NOT_FOUND");
  expect(await codeOf(propose({ values: { PORT: "1" } }))).toBe("INVALID_REQUEST");
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

longTest(
  "a failing command of the team does not count as a failure of the server, and a failing fetch does",
  async () => {
    const server = await testServer({ world: () => shop.ports });
    const ask = async () => {
      const { status, json } = await post(server, { environment: "production" }, {}, PLAN);
      return [status, json.error, json.code];
    };
    shop.publish({ VERSION: "unbuildable" });
    expect(await ask()).toEqual([409, "Deploy failed.", "DEPLOY_COMMAND_FAILED"]);
    shop.publish({ VERSION: "three", "svcm.yaml": "version: 1\nenvironments: { production: [prod] }\n" });
    expect(await ask()).toEqual([409, "Deploy failed.", "DEPLOY_CHECK_FAILED"]);
    shop.git("remote", "set-url", "origin", `${shop.own.folder}/gone.git`);
    expect(await ask()).toEqual([500, "Deploy could not be made.", "DEPLOY_FETCH_FAILED"]);
  },
);
