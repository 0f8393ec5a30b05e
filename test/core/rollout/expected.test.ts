/** Processes as they should be, by the ecosystem file. */
import { describe, expect, test } from "vitest";
import type { LoadedApp } from "../../../src/core/pm2/loaded.ts";
import { environmentsAt, expectedApps } from "../../../src/core/rollout/expected.ts";
import { loaded, type Fields } from "./loaded.ts";

function expectedOne(fields: Fields, more: Partial<LoadedApp> = {}) {
  const content = loaded([fields]);
  const apps = content.apps.map((app) => ({ ...app, ...more }));
  const machine = { cpuCores: 4, pm2Home: "/home/.pm2" };
  const [app] = expectedApps(
    { ...content, apps },
    { machine, spellings: ["production", "prod"], digest: (text) => `<${text}>` },
  );
  if (app === undefined) throw new Error("no app");
  return app;
}

describe("the variables of an app", () => {
  test("are those without a block, and with each spelling of the environment", () => {
    const app = expectedOne({
      env: { A: "1", B: "2" },
      env_prod: { B: "3" },
      env_production: { A: "4" },
      env_dev: { A: "5" },
    });
    expect(app.environments).toEqual([
      { A: "<1>", B: "<2>" },
      { A: "<4>", B: "<2>" },
      { A: "<1>", B: "<3>" },
    ]);
  });

  test("are compared neither if PM2 sets them nor if the file gives them no value", () => {
    const app = expectedOne(
      { env: { A: "1", NODE_APP_INSTANCE: "0", ID: "0", GONE: "" }, instance_var: "ID" },
      { unset: ["GONE"] },
    );
    expect(app.environments).toEqual([{ A: "<1>" }]);
    expect(app.openKeys).toEqual(["NODE_APP_INSTANCE", "ID", "GONE"]);
    expect(app.copiesShell).toBe(false);
    const copying = expectedOne({ env: { HOME: "/", A: "1" } }, { inherited: ["HOME"] });
    expect([copying.copiesShell, copying.environments]).toEqual([true, [{ A: "<1>" }]]);
  });

  test("count up with the position of the process", () => {
    const app = expectedOne({ env: { PORT: "3000", A: "1" }, increment_var: "PORT", instances: 2 });
    const at = (position: number) => environmentsAt(app, position);
    expect([at(0), at(1)]).toEqual([[{ A: "<1>", PORT: "<3000>" }], [{ A: "<1>", PORT: "<3001>" }]]);
    expect(at(2)).toEqual([{ A: "<1>" }]);
    const plain = expectedOne({ env: { PORT: "3000" } });
    expect(environmentsAt(plain, 1)).toEqual([{ PORT: "<3000>" }]);
    expect(environmentsAt(expectedOne({ env: {}, increment_var: "PORT" }), 0)).toEqual([{ PORT: "<0>" }]);
  });
});

test("an app belongs to a file, and perhaps to a service, and has its ports", () => {
  const app = expectedOne({ env: { PORT: "3000", SVC_HTTP_PORT: "80" } });
  expect(app).toMatchObject({
    service: "",
    definedIn: "/pm2/e.config.cjs",
    port: 3000,
    httpPort: 80,
    envFiles: ["/srv/.env"],
  });
  const other = expectedOne({ env: { PORT: "x" } }, { start: { service: "shop", path: "/srv/shop.cjs" } as never });
  expect(other).toMatchObject({ service: "shop", definedIn: "/srv/shop.cjs", port: null, httpPort: null });
  expect([expectedOne({ watch: true }).watch, expectedOne({}).watch]).toEqual([true, false]);
});

test("arguments are compared as PM2 splits them", () => {
  expect(expectedOne({ args: "a  b" }).argsDigest).toBe(expectedOne({ args: ["a", "b"] }).argsDigest);
  expect(expectedOne({ args: "a" }).argsDigest).not.toBe(expectedOne({ args: "b" }).argsDigest);
  expect(expectedOne({ node_args: "--a" }).interpreterArgsDigest).toContain("--a");
});
