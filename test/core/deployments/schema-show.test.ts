import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schemaShow } from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const MATRIX = "config/capability-matrix.yaml";
const own = readFileSync(new URL(`../../../${MATRIX}`, import.meta.url), "utf8");
const packaged = readFileSync(new URL("../../../schemas/service-management.v1.schema.json", import.meta.url), "utf8");

test("the schema of deployments.yaml is the packaged one unless the repository has its own matrix", async () => {
  const workspace = makeWorkspace();
  const show = () => schemaShow.run(workspace.ports, { document: "deployments" }, caller);
  expect(await show()).toEqual(JSON.parse(packaged));
  workspace.write(MATRIX, own.replace("pm2Profiles: [dev,", "pm2Profiles: [dev, canary,"));
  const schema = JSON.stringify(await show());
  expect([schema.includes("canary"), packaged.includes("canary")]).toEqual([true, false]);
});

test("a broken matrix is refused with its position", async () => {
  const { ports } = makeWorkspace({ [MATRIX]: own.replace("group: pm2-managed", "group: pm2") });
  await expect(schemaShow.run(ports, { document: "deployments" }, caller)).rejects.toMatchObject({
    kind: "FACT_INVALID",
    body: { issues: [{ code: "FACT_REFERENCE", at: { file: MATRIX, line: expect.any(Number) as number } }] },
  });
});
