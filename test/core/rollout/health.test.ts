import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { nodeHealth } from "../../../src/core/rollout/health.node.ts";
import type { Probe } from "../../../src/core/rollout/port-deployed.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const http = (listener: RequestListener): Promise<number> => listening(createServer(listener));
const ask = (kind: Probe["kind"], port: number) => nodeHealth.check({ kind, port, path: "/health" });

test("a successful status is healthy, with the pid from a JSON answer", async () => {
  const port = await http((request, response) => response.end(request.url === "/health" ? '{"pid":42}' : "no"));
  expect(await ask("http", port)).toEqual({ state: "healthy", pid: 42 });
  const plain = await http((_, response) => response.end("fine"));
  expect(await ask("http", plain)).toEqual({ state: "healthy", pid: null });
});

test("any other status is unhealthy, and a missing path is absent", async () => {
  const port = await http((_, response) => response.writeHead(500).end());
  expect(await ask("http", port)).toEqual({
    state: "unhealthy",
    code: "HEALTH_STATUS",
    details: `The http probe of port ${port} at /health was answered with status 500.`,
    pid: null,
  });
  expect(await ask("http", await http((_, response) => response.writeHead(404).end()))).toEqual({ state: "absent" });
});

test.each(["http", "websocket", "grpc"] as const)("a closed port is unreachable for a %s probe", async (kind) => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await ask(kind, port)).toEqual({
    state: "unhealthy",
    code: "HEALTH_UNREACHABLE",
    details: `The ${kind} probe of port ${port} has no answer: ECONNREFUSED.`,
    pid: null,
  });
});

test("a process that accepts the connection and sends nothing is unreachable", async () => {
  const port = await http(() => undefined);
  for (const kind of ["http", "grpc"] as const)
    expect(await ask(kind, port)).toMatchObject({ state: "unhealthy", code: "HEALTH_UNREACHABLE" });
});

test("an accepted upgrade is healthy, and a refused one is not", async () => {
  const server = createServer((_, response) => response.writeHead(503).end());
  const sockets = new WebSocketServer({ server, path: "/health" });
  closing.push(() => sockets.close());
  const port = await listening(server);
  expect(await ask("websocket", port)).toEqual({ state: "healthy", pid: null });
  const plain = await http((_, response) => response.writeHead(503).end());
  expect(await ask("websocket", plain)).toMatchObject({ state: "unhealthy", code: "HEALTH_STATUS" });
});

async function grpc(answer: (stream: ServerHttp2Stream) => void): Promise<number> {
  const server = createHttp2();
  server.on("stream", (stream) => answer(stream));
  return listening(server);
}

const served = (status: number) => (stream: ServerHttp2Stream) => {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.from([0, 0, 0, 0, 2, 8, status]));
};

test("gRPC's health service decides between SERVING, NOT_SERVING and not implemented", async () => {
  expect(await ask("grpc", await grpc(served(1)))).toEqual({ state: "healthy", pid: null });
  expect(await ask("grpc", await grpc(served(2)))).toMatchObject({ state: "unhealthy", code: "HEALTH_STATUS" });
  const missing = await grpc((stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "12" }, { endStream: true });
  });
  expect(await ask("grpc", missing)).toEqual({ state: "absent" });
});
