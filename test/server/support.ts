/** A server for one test with its own repository, and functions to send requests. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { nodePorts, type Ports } from "../../src/core/index.ts";
import type { Limits } from "../../src/server/limits.ts";
import type { ConnectFleet } from "../../src/server/fleet.ts";
import type { OpenMcp } from "../../src/server/mcp.ts";
import { startServer, type RunningServer } from "../../src/server/start.ts";
import { temporaryFolder, whenTestsOver, type WhenOver } from "../support/temporary-folder.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const CONSOLE = join(REPOSITORY, "dist/console");
const CONFIG_DIR = "apps/backend-template/src/config";

export interface Repository {
  readonly root: string;
  envFile(name: string): string;
  auditFile: string;
}

/** A repository with the env files of the reference backend, or the given ones. */
export function repository(files?: Readonly<Record<string, string>>, whenOver?: WhenOver): Repository {
  const root = temporaryFolder(whenOver);
  const configDir = join(root, CONFIG_DIR);
  mkdirSync(configDir, { recursive: true });
  if (files === undefined) cpSync(join(REPOSITORY, CONFIG_DIR), configDir, { recursive: true });
  for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(configDir, name), text);
  return { root, envFile: (name) => join(configDir, `.env.${name}`), auditFile: join(root, ".svcm/audit.jsonl") };
}

export interface TestServer extends RunningServer {
  readonly port: number;
  readonly repository: Repository;
  readonly log: string[];
  /** Resolves when this number of log lines match. */
  logged(pattern: RegExp, count?: number): Promise<void>;
  text(name?: string): string;
}

export interface ServerOptions {
  readonly repository?: Repository;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly host?: string;
  readonly port?: number;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly consoleDir?: string;
  readonly version?: string;
  readonly record?: boolean;
  readonly connectFleet?: ConnectFleet;
  readonly openMcp?: OpenMcp;
  /** True if the log is written to a terminal. */
  readonly isTerminal?: boolean;
  /** Replaces a port. */
  readonly world?: (ports: Ports) => Ports;
}

/** One server for all tests of a file that change nothing, started by the first of them. */
export function sharedServer(options: ServerOptions = {}): () => Promise<TestServer> {
  const whenOver = whenTestsOver();
  let started: Promise<TestServer> | undefined;
  return () => (started ??= testServer(options, whenOver));
}

export async function testServer(
  options: ServerOptions = {},
  whenOver: WhenOver = onTestFinished,
): Promise<TestServer> {
  const { repository: given, env = {}, world = (ports) => ports, isTerminal, ...rest } = options;
  const files = given ?? repository(undefined, whenOver);
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const write = (line: string): void => {
    log.push(line);
    for (const check of waiting) check();
  };
  const ports = world(
    nodePorts({ root: files.root, env: { PM2_HOME: join(files.root, ".pm2"), ...env }, cwd: files.root }),
  );
  const server = await startServer({
    ports,
    env,
    version: "1.2.3",
    port: 0,
    log: { write, isTTY: isTerminal },
    consoleDir: CONSOLE,
    ...rest,
  });
  whenOver(() => server.close());
  const text = (name = "dev"): string => readFileSync(files.envFile(name), "utf8");
  const logged = (pattern: RegExp, count = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (log.filter((line) => pattern.test(line)).length >= count) resolve(void waiting.delete(look));
      };
      waiting.add(look);
      look();
    });
  return { ...server, port: Number(new URL(server.url).port), repository: files, log, logged, text };
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  readonly address?: string;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any -- what a test expects of it says what it is
}

/** One request on a separate connection. */
export function ask({ port }: { port: number }, path: string, options: RequestOptions = {}): Promise<TestResponse> {
  const { method = "GET", headers = {}, body, address = "127.0.0.1" } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: address, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers["content-type"]?.startsWith("application/json") === true && text !== "";
        const { statusCode: status = 0, rawHeaders } = response;
        resolve({ status, headers: response.headers, rawHeaders, text, json: isJson ? JSON.parse(text) : undefined });
      });
    });
    outgoing.on("error", reject);
    // As bytes, because Node.js would use the encoding of a string for the headers.
    outgoing.end(body === undefined ? undefined : Buffer.from(body));
  });
}

export const ENV = "/api/runtime/env";
export const JSON_TYPE = { "content-type": "application/json" };

/** Posts values, or any other body. */
export function post(
  server: { port: number },
  body: unknown,
  headers: RequestOptions["headers"] = {},
  path = ENV,
): Promise<TestResponse> {
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return ask(server, path, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: text });
}

/** A draft of a document that has changed since. */
export function postStaleDocument(server: { port: number }): Promise<TestResponse> {
  return post(server, { document: {} }, { "if-match": '"x"' }, "/api/declarations");
}

export interface RawConnection {
  readonly socket: Socket;
  /** All received bytes, after the other side has closed. */
  readonly ended: Promise<string>;
}

/** A connection for bytes that no client would send. */
export function rawConnection({ port }: { port: number }): RawConnection {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => undefined); // a server that cuts us off may do it with a reset
  onTestFinished(() => void socket.destroy());
  const ended = new Promise<string>((resolve) => {
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
  return { socket, ended };
}

export async function raw(server: { port: number }, bytes: string | Uint8Array): Promise<string> {
  const { socket, ended } = rawConnection(server);
  socket.write(bytes);
  return await ended;
}

export function parseResponse(response: string): { status: number; headers: string; json: TestResponse["json"] } {
  const [head = "", body = ""] = response.split("\r\n\r\n", 2);
  return {
    status: Number(head.split(" ")[1]),
    headers: head.toLowerCase(),
    json: body === "" ? undefined : JSON.parse(body),
  };
}
