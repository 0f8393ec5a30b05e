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

test("a script of the workspace that hands over to a package has the values of both, and the env file of the package", async () => {
  const made = makeWorkspace({
    "svcm.yaml":
      "version: 1\nenvironments: { dev: [] }\nservices:\n  main: { ecosystem: { dev: e.config.cjs } }\n  api: { folder: api, env: { dev: .env } }\nkeys: { A: { kind: text, tier: read-only }, B: { kind: text, tier: read-only }, C: { kind: text, tier: read-only } }\n",
    "e.config.cjs": 'module.exports = { apps: [{ name: "web", script: "npm", args: "run api" }] };',
    "package.json": '{ "workspaces": ["api"], "scripts": { "api": "cross-env A=root B=root npm start -w api" } }',
    "api/package.json": '{ "name": "api", "scripts": { "start": "B=own node a.js" } }',
    "api/.env": "C=file\n",
  });
  const { values } = await execute(envApp, made.ports, { environment: "dev", service: "main", app: "web" }, caller);
  expect(values.map(({ key, value, file }) => `${key}=${value} ${file}`)).toEqual([
    "A=root package.json",
    "B=own api/package.json",
    "C=file api/.env",
  ]);
});
