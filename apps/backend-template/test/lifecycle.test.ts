import { request, type ClientRequest } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runToEnd, spawnEntrypoint, startEntrypoint } from "./entrypoint.ts";
import { longTest } from "../../../test/support/runs.ts";

const signals = ["SIGINT", "SIGTERM"] as const;

/** A request whose body is incomplete, after the process has received its headers. */
async function startRequest(url: string): Promise<ClientRequest & { readonly answered: Promise<number | undefined> }> {
  const slow = request(`${url}/items`, { method: "POST" });
  const answered = new Promise<number | undefined>((resolve) => {
    slow.once("response", ({ statusCode }) => resolve(statusCode));
    slow.once("error", () => resolve(undefined));
  });
  slow.write('{"name":');
  for (let active = 0; active < 2;) {
    const metrics = await fetch(`${url}/async-context-metrics`);
    ({ active } = (await metrics.json()) as { active: number });
  }
  return Object.assign(slow, { answered });
}

test.each(signals)("a second %s during a request in flight does not interrupt the request", async (signal) => {
  await using backend = await startEntrypoint("rest");
  const slow = await startRequest(backend.url);
  backend.signal(signal);
  // The shutdown has startRequest when the process accepts no connection.
  while (
    await fetch(`${backend.url}/health`, { headers: { connection: "close" } }).then(
      () => true,
      () => false,
    )
  );
  backend.signal(signal);
  slow.end('"late"}');
  expect(await slow.answered).toBe(201);
  expect(await backend.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});

longTest("a client that never completes its request does not keep the process alive", async () => {
  await using backend = await startEntrypoint("rest");
  const stuck = await startRequest(backend.url);
  backend.signal("SIGTERM");
  expect(await backend.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(await stuck.answered).toBeUndefined();
});

test.each(signals)("%s during the start ends the process properly", async (signal) => {
  // A broker that accepts the connection and sends nothing.
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((listening) => silent.once("listening", listening));
  const taken = new Promise((connected) => silent.once("connection", connected));
  const { port } = silent.address() as AddressInfo;
  const { child, ended } = spawnEntrypoint("rest", {
    SVC_MESSAGE_MEDIATOR_ADAPTER: "rabbitmq",
    SVC_RABBITMQ_URL: `amqp://127.0.0.1:${port}`,
  });
  await taken;
  child.kill(signal);
  expect(await ended).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
});

test("a failed start closes everything that it opened, so the process ends", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await new Promise((listening) => other.once("listening", listening));
  const { port } = other.address() as AddressInfo;
  const realtime = { SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: "grpc" };
  const { code, stdout, stderr } = await runToEnd("grpc", { ...realtime, SVC_GRPC_PORT: `${port}` });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("EADDRINUSE");
});
