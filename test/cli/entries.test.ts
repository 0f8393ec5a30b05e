import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const LEGACY = `deployments:
  - { name: old, type: dedicated, region: "https://u:canary@h", runtime: node20 }
  - { name: odd, type: heroku, region: r, runtime: node20 }
interfaces:
  - { type: sse, framework: express, entrypoint: "https://u:canary@h", controller: AController.list }
`;

test("targets list shows a legacy entry in its migrated form, with the verdict on that form, and no credentials", async () => {
  const { root } = makeWorkspace({ "deployments.yaml": LEGACY });
  const { code, stdout } = await svcm(["targets", "list", "--json"], { root });
  expect([code, stdout.includes("canary")]).toEqual([0, false]);
  expect(JSON.parse(stdout)).toMatchObject({
    deployments: [
      {
        entry: {
          name: "old",
          deployTarget: "dedicated-server",
          serviceType: "restapi",
          runtimeProtocol: "http",
          pm2Profile: "dev",
          region: "https://[REDACTED]@h",
        },
        issues: [],
      },
      { entry: { name: "odd", deployTarget: "heroku" }, issues: [{ code: "TARGET_VALUE_UNKNOWN" }] },
    ],
  });
  const text = await svcm(["targets", "list"], { root });
  expect(text.stdout).toMatch(/old +dedicated-server +restapi/);
  expect(text.stdout).not.toContain("canary");
});

test("interfaces list shows no credentials", async () => {
  const { root } = makeWorkspace({ "deployments.yaml": LEGACY });
  for (const json of [[], ["--json"]]) {
    const { stdout } = await svcm(["interfaces", "list", ...json], { root });
    expect(stdout).toContain("[REDACTED]");
    expect(stdout).not.toContain("canary");
  }
});

const TARGET = `deployments:
  - name: api
    region: eu-west-1
    runtime: nodejs22.x
    serviceType: restapi
    deployTarget: dedicated-server
    runtimeProtocol: http
    databaseDriver: SQLite
    keyValueDriver: redis
    pm2Profile: dev
`;
const CONFIGURATION =
  "serviceConfiguration: { serviceKind: rest-api, runMode: container, cloudProvider: docker, ports: { rest: 3000 } }\n";

test.each(["ports=3", "port.rest=3", "foo=1", "ports.soap=1"])("config set %s is refused", async (assignment) => {
  const workspace = makeWorkspace({ "deployments.yaml": CONFIGURATION });
  const { code, stdout } = await svcm(["config", "set", assignment, "--json"], workspace);
  expect([code, workspace.read("deployments.yaml")]).toEqual([1, CONFIGURATION]);
  expect(JSON.parse(stdout).issues).toMatchObject([
    {
      code: "SUITE_UNKNOWN_KEY",
      accepted: expect.arrayContaining(["serviceKind", "ports.rest", "ports.websocket", "ports.grpc"]),
    },
  ]);
});

test.each([
  ["several documents", "a: 1\n---\nb: 2\n"],
  ["a merge key", "base: &b { a: 1 }\ndeployments: [{ <<: *b }]\n"],
  ["a list that is a map", "deployments: { a: 1 }\n"],
])("an edit of a document that is not valid exits 1 and changes nothing: %s", async (_, text) => {
  const workspace = makeWorkspace({ "deployments.yaml": text });
  const args = ["--name", "edge", "--deploy-target", "lambda", "--runtime", "node22", "--region", "eu"];
  const { code, stdout } = await svcm(["targets", "add", ...args, "--json"], workspace);
  expect([code, workspace.read("deployments.yaml")]).toEqual([1, text]);
  expect(JSON.parse(stdout).issues.length).toBeGreaterThan(0);
});

test.each(["--key-value-driver", "--keyvalue-driver"])(
  "%s sets the key-value driver of a deploy target",
  async (flag) => {
    const { root } = makeWorkspace({ "deployments.yaml": TARGET });
    const { code, stderr } = await svcm(["targets", "edit", "api", flag, "inmemory"], { root });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { stdout } = await svcm(["targets", "list", "--json"], { root });
    expect(JSON.parse(stdout)).toMatchObject({ deployments: [{ entry: { name: "api", keyValueDriver: "inmemory" } }] });
  },
);
