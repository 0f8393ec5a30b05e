import { createHash, randomBytes } from "node:crypto";
import { request, type IncomingMessage } from "node:http";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { createServer, type AddressInfo, type Server } from "node:net";
import type { Health, HealthResult, Probe } from "./port-deployed.ts";
import { parseRecord } from "../words/record.ts";
import { readBody } from "../files/read-body.ts";

const HOST = "127.0.0.1";
const TIMEOUT_MS = 2000;
const MAX_BYTES = 64 * 1024;

export const nodeHealth: Health = {
  async check(probe) {
    try {
      return await PROBES[probe.kind](probe);
    } catch (error) {
      const { code = "EUNKNOWN" } = error as NodeJS.ErrnoException;
      const details = `The ${probe.kind} probe of port ${probe.port} has no answer: ${code}.`;
      return { state: "unhealthy", code: "HEALTH_UNREACHABLE", details, pid: null };
    }
  },
  async freePorts(count) {
    const servers = await Promise.all(Array.from({ length: count }, listenOnFreePort));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    return ports;
  },
};

function listenOnFreePort(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, HOST, () => resolve(server));
  });
}

const PROBES: Readonly<Record<Probe["kind"], (probe: Probe) => Promise<HealthResult>>> = {
  http: async (probe) => {
    const response = await sendRequest(probe, {});
    const text = (await readBody(response as AsyncIterable<Uint8Array>, MAX_BYTES)) ?? "";
    const { statusCode: status = 0 } = response;
    const pid = parsePid(text);
    return status >= 200 && status < 300 ? { state: "healthy", pid } : answerWithStatus(probe, status, pid);
  },
  websocket: async (probe) => {
    const key = randomBytes(16).toString("base64");
    const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const response = await sendRequest(probe, { ...upgrade, "sec-websocket-key": key });
    response.destroy();
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    const { statusCode: status = 0, headers } = response;
    const isOpen = status === 101 && headers["sec-websocket-accept"] === accept;
    return isOpen ? { state: "healthy", pid: null } : answerWithStatus(probe, status);
  },
  grpc: probeGrpc,
};

function sendRequest({ port, path }: Probe, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: HOST, port, path, headers, agent: false, timeout: TIMEOUT_MS });
    outgoing.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    outgoing.once("response", resolve);
    outgoing.once("timeout", () => outgoing.destroy(timeoutError()));
    outgoing.once("error", reject);
    outgoing.end();
  });
}

function parsePid(text: string): number | null {
  const pid = parseRecord(text)?.["pid"];
  return typeof pid === "number" ? pid : null;
}

/** `ServingStatus.SERVING` in field 1 of the response, after the 5-byte prefix of a gRPC message. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]);
const UNIMPLEMENTED = "12";

function encodeHealthRequest(service = ""): Buffer {
  const name = Buffer.from(service);
  // A name has at most 200 bytes. From 128 on, its length takes two bytes.
  const length = name.length < 128 ? [name.length] : [128 + (name.length % 128), name.length >> 7];
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...length]), name]);
  return Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
}

function probeGrpc(probe: Probe): Promise<HealthResult> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${HOST}:${probe.port}`);
    const timer = setTimeout(() => session.destroy(timeoutError()), TIMEOUT_MS);
    session.once("error", reject);
    session.once("close", () => clearTimeout(timer));
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    let status: unknown;
    const readStatus = (headers: IncomingHttpHeaders): void => void (status ??= headers["grpc-status"]);
    stream.once("response", readStatus);
    stream.once("trailers", readStatus);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("error", (error) => reject((error.cause ?? error) as Error));
    stream.once("close", () => {
      session.close();
      if (status === UNIMPLEMENTED && !probe.isDeclared) return resolve({ state: "absent" });
      const isServing = Buffer.concat(chunks).equals(SERVING);
      resolve(isServing ? { state: "healthy", pid: null } : unhealthy(probe, `gRPC status ${String(status)}`));
    });
    stream.end(encodeHealthRequest(probe.service));
  });
}

function answerWithStatus(probe: Probe, status: number, pid: number | null = null): HealthResult {
  if (status === 404 && !probe.isDeclared) return { state: "absent" };
  return unhealthy(probe, `status ${status}`, pid);
}

function unhealthy({ kind, port, path }: Probe, reply: string, pid: number | null = null): HealthResult {
  const details = `The ${kind} probe of port ${port} at ${path} was answered with ${reply}.`;
  return { state: "unhealthy", code: "HEALTH_STATUS", details, pid };
}

function timeoutError(): Error {
  return Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" });
}
