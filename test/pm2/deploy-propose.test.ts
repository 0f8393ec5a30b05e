/** A program proposes a commit: none of its code runs until a user has read its plan and approved exactly both. */
import { beforeAll, expect, test } from "vitest";
import {
  deployPlan,
  execute,
  proposalApprove,
  proposalCreate,
  proposalRun,
  type SvcmError,
} from "../../src/core/index.ts";
import { shopUnderPm2 } from "./deployed-shop.ts";

const robot = { source: "mcp", actor: "robot", role: "viewer", grants: ["read", "propose"] } as const;
const ann = { source: "http", actor: "ann", role: "editor", grants: ["read", "logs", "act", "write"] } as const;
const shop = shopUnderPm2();
const propose = (more: object = {}) =>
  execute(proposalCreate, shop.ports, { kind: "deploy", environment: "production", ...more }, robot);
const codeOf = (done: Promise<unknown>): Promise<string | undefined> =>
  done.then(
    () => "done",
    (error: SvcmError) => error.body.code ?? error.kind,
  );

let first: readonly string[] = [];

beforeAll(async () => {
  shop.publish({ VERSION: "one" });
  first = (await propose({ revision: "main" })).summary;
  await shop.deploy();
});

test("a proposed commit is deployed with the plan that the approver read, also if the branch moves on", async () => {
  const before = shop.releases();
  const commit = shop.publish({ VERSION: "two" });
  expect(first.at(-1)).toBe("as the first release of svcm here");
  const proposed = await propose({ revision: "main" });
  expect(proposed.summary.at(-1)).toBe(`in place of ${shop.git("rev-parse", "HEAD~1")}`);
  expect(proposed).toMatchObject({ kind: "deploy", state: "pending", commit });
  expect(proposed.summary.join("\n")).toContain(`deploy ${commit} "version two"`);
  expect([shop.releases(), await shop.answer()]).toEqual([before, "one"]);
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
  expect(await shop.answer()).toBe("one");
  expect(await execute(proposalRun, shop.ports, { id }, robot)).toMatchObject({
    state: "done",
    outcome: expect.stringContaining("deploy ") as string,
  });
  expect(await shop.answer()).toBe("two");
  expect(await codeOf(execute(proposalRun, shop.ports, { id }, robot))).toBe("PROPOSAL_ENDED");
});

test("what runs already, an unknown revision and members of another kind are refused", async () => {
  expect(await codeOf(propose({ revision: shop.git("rev-parse", "HEAD~1") }))).toBe("PROPOSAL_EMPTY");
  expect(await codeOf(propose({ revision: "no-such-branch" }))).toBe("REVISION_NOT_FOUND");
  expect(await codeOf(propose({ values: { PORT: "1" } }))).toBe("INVALID_REQUEST");
});
