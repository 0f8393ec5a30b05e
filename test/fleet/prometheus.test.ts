/** Prometheus discovers and scrapes every machine of the fleet through one server. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectFleet } from "../../src/fleet/index.ts";
import { ask, repository, testServer, type TestServer } from "../server/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { testFleet, type TestFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

/** The server of a node, which sends requests to other nodes with the key of a read-only user. */
async function viewersServer(fleet: TestFleet): Promise<TestServer> {
  const key = fleet.variables("vera")["SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS"];
  const variables = { ...fleet.variables("web-2"), SVC_SERVICE_MANAGEMENT_NATS_USER_CREDENTIALS: key };
  return testServer({ connectFleet: () => connectFleet(fleet.ports("web-2"), variables) });
}

describe.skipIf(!hasNats)("Prometheus in a fleet (needs nats-server)", () => {
  test("discovers each declared node, with its labels and this server's address", async () => {
    const server = await viewersServer(await testFleet());
    const { status, headers, json } = await ask(server, "/api/fleet/targets");
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json; charset=utf-8" });
    const target = (instance: string, role: string) => ({
      targets: [`127.0.0.1:${server.port}`],
      labels: { role, instance, __metrics_path__: "/metrics", __param_node: instance },
    });
    expect(json).toEqual([target("db-1", "db"), target("web-1", "web"), target("web-2", "web")]);
  });

  longTest("reads the metrics of a node, with the node's own version and identity", async () => {
    const fleet = await testFleet();
    await fleet.start("web-1", { version: "9.8.7" });
    const server = await viewersServer(fleet);
    const [own, remote] = await Promise.all([ask(server, "/metrics"), ask(server, "/metrics?node=web-1")]);
    expect(remote.headers["content-type"]).toBe(own.headers["content-type"]);
    expect(remote.text).toMatch(/^svcm_host_cpu_cores \d+$/m);
    const build = /^svcm_build_info\{version="(.*)",server="(.*)"\} 1$/m;
    const [, version, identity] = build.exec(remote.text) ?? [];
    expect(version).toBe("9.8.7");
    expect(identity).toMatch(/^[\w-]{22}$/);
    expect(identity).not.toBe(build.exec(own.text)?.[2]);
  });

  longTest("receives no metrics of an unavailable node, so its target is down", async () => {
    const fleet = await testFleet();
    const { status, json } = await ask(await viewersServer(fleet), "/metrics?node=web-1");
    expect({ status, code: json.code }).toEqual({ status: 503, code: "NODE_UNREACHABLE" });
  });

  test("continues after the NATS server was unavailable", async () => {
    const fleet = await testFleet();
    await fleet.server.kill();
    const server = await viewersServer(fleet);
    expect((await ask(server, "/api/fleet/targets")).json).toMatchObject({ code: "FLEET_UNREACHABLE" });
    await fleet.server.again();
    expect((await ask(server, "/api/fleet/targets")).status).toBe(200);
  });
});

describe("a server without a fleet", () => {
  test("answers with what to declare", async () => {
    const { root } = repository();
    const { nodePorts } = await import("../../src/core/index.ts");
    const ports = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
    const server = await testServer({ connectFleet: () => connectFleet(ports, {}) });
    const { status, json } = await ask(server, "/api/fleet/targets");
    expect(status).toBe(503);
    expect(json).toMatchObject({
      error: "Request to another machine failed.",
      details: expect.stringContaining("Accepted: nats with users and nodes"),
    });
  });

  test("requires the token on an address other than loopback", async () => {
    const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token-of-sixteen-bytes" };
    const server = await testServer({ host: "0.0.0.0", env });
    const { status } = await ask(server, "/api/fleet/targets", { headers: { host: `0.0.0.0:${server.port}` } });
    expect(status).toBe(401);
  });
});
