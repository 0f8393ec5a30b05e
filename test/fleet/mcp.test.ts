/** A program reaches the machines of a fleet through one svcm, with the rights that its user has there. */
import { expect, test } from "vitest";
import { hasNats } from "../support/nats-server.ts";
import { overStdio } from "../support/mcp-client.ts";
import { testFleet } from "./support.ts";

test.skipIf(!hasNats)("reads a node as its user may, and changes nothing there (needs nats-server)", async () => {
  const fleet = await testFleet();
  await fleet.start("web-1");
  const program = await overStdio({ root: fleet.root("vera"), env: fleet.variables("vera") }, "--allow", "plan");
  const { tools } = await program.client.listTools();
  const withNode = tools.filter(({ inputSchema }) => Object.hasOwn(inputSchema.properties ?? {}, "node"));
  expect(withNode.map(({ name }) => name)).toEqual(expect.arrayContaining(["process_list", "env_read", "plan"]));
  expect(withNode.map(({ name }) => name)).not.toEqual(expect.arrayContaining(["propose"]));
  const read = await program.call("env_read", { environment: "dev", node: "web-1" });
  expect(read).toMatchObject({ isError: false, data: expect.stringContaining("SVC_HTTP_FRAMEWORK") });
  const unknown = await program.call("env_read", { environment: "dev", node: "moon" });
  expect([unknown.isError, unknown.data]).toEqual([true, expect.stringContaining("web-1")]);
  expect((await program.call("logs_read", { app: "api", node: "web-1" })).words).toContain("FORBIDDEN");
  for (const node of ["", 7, "*", ">", "web-1.read", ["web-1"]])
    expect((await program.call("env_read", { environment: "dev", node })).isError).toBe(true);
  expect((await program.call("propose", { kind: "apply", environment: "dev", node: "web-1" })).words).toContain(
    "INVALID_REQUEST",
  );
  expect((await program.call("env_read", { environment: "dev", node: "web-2" })).words).toContain("NODE_UNREACHABLE");
});
