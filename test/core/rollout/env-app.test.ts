/** The effective value of an app that does not run; `test/pm2/env-app.test.ts` compares it with a running one. */
import { expect, test } from "vitest";
import { envApp, execute } from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const app = { name: "web", script: "./app.cjs", env: { COLOUR: "blue" } };
const workspace = (env: string) =>
  makeWorkspace({
    "svcm.yaml": `version: 1\nenvironments: { dev: [] }\necosystem: { dev: e.config.cjs }\n${env}keys: { COLOUR: { kind: text, tier: read-only } }\n`,
    "e.config.cjs": `module.exports = { apps: [${JSON.stringify(app)}] };`,
    "app.cjs": "",
  });
const show = ({ ports }: ReturnType<typeof workspace>) =>
  execute(envApp, ports, { environment: "dev", app: "web" }, caller);

test("an app without an env file has the values of the ecosystem file, and an env file that cannot be read is an error", async () => {
  expect((await show(workspace(""))).values).toMatchObject([{ key: "COLOUR", value: "blue", source: "ecosystem" }]);
  const broken = workspace("env: { dev: .env.dev }\n");
  broken.write(".env.dev/file", "");
  await expect(show(broken)).rejects.toMatchObject({ body: { code: "EISDIR", path: broken.path(".env.dev") } });
});
