import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ecosystemCheck, execute, nodePorts } from "../../../../src/core/index.ts";
import { fixturePath, loadFixture, writeFiles } from "../../../pm2/declarations.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const cases = Object.entries(loadFixture("mistaken") as Record<string, object[]>);

test("each way to write an app that PM2 refuses or misreads has its finding", async () => {
  const root = temporaryFolder();
  writeFiles(root);
  const text = `const cases = require(${JSON.stringify(fixturePath("mistaken"))});
module.exports = { apps: Object.values(cases).flat().map((app, index) => ({ name: "app", script: "app.cjs", ...app })) };`;
  writeFileSync(join(root, "ecosystem.config.cjs"), text);
  const ports = nodePorts({ root, cwd: root, env: { PATH: process.env["PATH"], PM2_HOME: join(root, ".pm2") } });
  const { issues } = await execute(ecosystemCheck, ports, {}, caller);
  const wanted = cases.flatMap(([code, apps]) => apps.map(() => code));
  const found = wanted.map((code, index) =>
    issues.some((issue) => issue.code === code && issue.path[1] === index) ? code : `no ${code} for app ${index}`,
  );
  expect(found).toEqual(wanted);
});
