/** `ecosystem check` on files, as it reports each. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { ecosystemCheck, execute, nodePorts } from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = { source: "cli", grants: ["read"] } as const;

/** `<code> <place>` of every issue of a file, whose app runs `a.js`. */
async function issues(text: string, name = "ecosystem.dev.config.cjs"): Promise<string[]> {
  const { root } = makeWorkspace({ [`pm2/${name}`]: text, "a.js": "", "deployments.yaml": "" });
  const ports = nodePorts({ root, cwd: root, env: { PATH: process.env["PATH"], PM2_HOME: join(root, ".pm2") } });
  const checked = await execute(ecosystemCheck, ports, { environment: "dev" }, caller);
  return checked.issues.map(({ code, path }) => [code, ...path].join(" "));
}

const app = (fields: object): string =>
  `module.exports = { apps: [${JSON.stringify({ name: "one", script: "./a.js", ...fields })}] };`;

test("an interpreter other than Node.js in cluster mode is reported, because PM2 ignores it", async () => {
  const expected = ["ECOSYSTEM_CLUSTER_INTERPRETER apps 0 interpreter"];
  expect(await issues(app({ exec_mode: "cluster", interpreter: "/usr/bin/bun" }))).toEqual(expected);
  expect(await issues(app({ instances: 2, exec_interpreter: "bun" }))).toEqual(expected);
  expect(await issues(app({ exec_mode: "cluster", interpreter: "/opt/bin/node" }))).toEqual([]);
  expect(await issues(app({ exec_mode: "fork", interpreter: "bun" }))).toEqual([]);
});
