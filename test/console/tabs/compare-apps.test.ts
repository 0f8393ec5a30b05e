import { expect, test } from "vitest";
import { compareApps } from "../../../src/console/tabs/environment/compare-apps.ts";

const app = (name: string, more: object = {}): Parameters<typeof compareApps>[0][number] => ({
  name,
  script: "app.js",
  interpreter: "node",
  interpreterArgs: [],
  args: [],
  instances: 1,
  execMode: "fork",
  cronRestart: null,
  maxMemoryRestart: null,
  env: { NODE_ENV: "x" },
  command: `pm2 start ${name}`,
  ...more,
});

test("apps are compared by name, with every member but the command", () => {
  const from = [app("web", { instances: 4, execMode: "cluster" }), app("api"), app("old")];
  const to = [app("api", { command: "another", env: { NODE_ENV: "y", MODE: "1" } }), app("web", { args: ["-v"] })];
  expect(compareApps(from, to).map(({ app: name, field, ...values }) => [name, field, values.from, values.to])).toEqual(
    [
      ["api", "env NODE_ENV", "x", "y"],
      ["api", "env MODE", "not set", "1"],
      ["old", "app", "declared", "not declared"],
      ["web", "args", "none", "-v"],
      ["web", "instances", "4", "1"],
      ["web", "execMode", "cluster", "fork"],
    ],
  );
  expect(compareApps(to, to)).toEqual([]);
});
