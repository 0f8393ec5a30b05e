/** The error table of the API, with one request for each row. The snapshot is the contract. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureBody } from "../../src/core/api/bodies.ts";
import { SOCKET_PATH } from "../../src/core/api/channel.ts";
import { errorTable, FileError, SvcmError, type ErrorKind, type Ports } from "../../src/core/index.ts";
import {
  ask,
  ENV,
  parseResponse,
  post,
  postStaleDocument,
  raw,
  repository,
  sharedServer,
  testServer,
} from "./support.ts";
import { openRefused } from "./socket/support.ts";
import type { Case } from "./error-case.ts";
import { fileCases } from "./file-cases.ts";
import { tokenCases } from "./token-cases.ts";

const ECOSYSTEM = "/api/runtime/pm2-ecosystem";
const fastify = { values: { SVC_HTTP_FRAMEWORK: "fastify" } };
const token = { env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "a-token" } };

const failing = (method: "read" | "replace", code: FileError["code"]) => () => ({
  world: (ports: Ports): Ports => {
    const fail = (path: string) => Promise.reject(new FileError(code, path, `Cannot ${method} ${path}: ${code}.`));
    return { ...ports, files: { ...ports.files, [method]: fail } };
  },
});

const cases: readonly Case[] = [
  { what: "malformed JSON", kind: "INVALID_PAYLOAD", provoke: (server) => post(server, '{"values":') },
  {
    what: "unsupported environment, read",
    kind: "INVALID_ENVIRONMENT",
    provoke: (server) => ask(server, `${ENV}?environment=prod`),
  },
  {
    what: "unsupported environment, write",
    kind: "INVALID_ENVIRONMENT",
    provoke: (server) => post(server, { environment: "prod", ...fastify }),
  },
  {
    what: "environment given twice",
    kind: "INVALID_ENVIRONMENT",
    provoke: (server) => ask(server, `${ENV}?environment=ci&environment=ci`),
  },
  {
    what: "value out of the enumeration",
    kind: "INVALID_PAYLOAD",
    provoke: (server) => post(server, { values: { SVC_HTTP_FRAMEWORK: "derby" } }),
  },
  {
    what: "value with credentials",
    kind: "INVALID_PAYLOAD",
    provoke: (server) => post(server, { values: { SVC_WEBSOCKET_REDIS_URL: "redis://u:p@h" } }),
  },
  {
    what: "value that is not a string",
    kind: "INVALID_PAYLOAD",
    provoke: (server) => post(server, { values: { SVC_REALTIME_API: true } }),
  },
  {
    what: "member given twice",
    kind: "INVALID_PAYLOAD",
    provoke: (server) => post(server, '{"values":{"A":"1","A":"2"}}'),
  },
  {
    what: "limit out of range",
    kind: "INVALID_REQUEST",
    provoke: (server) => ask(server, "/api/runtime/audit?limit=1001"),
  },
  {
    what: "unknown query parameter",
    kind: "INVALID_REQUEST",
    provoke: (server) => ask(server, `${ENV}?enviroment=dev`),
  },
  {
    what: "not HTTP",
    kind: "INVALID_REQUEST",
    provoke: async (server) => parseResponse(await raw(server, "hello\r\n\r\n")),
  },
  { what: "no token", kind: "UNAUTHORIZED", options: () => token, provoke: (server) => post(server, fastify) },
  {
    what: "foreign Host",
    kind: "FORBIDDEN",
    provoke: (server) => ask(server, ENV, { headers: { host: "evil.example" } }),
  },
  { what: "foreign Origin", kind: "FORBIDDEN", provoke: (server) => ask(server, ENV, { headers: { origin: "null" } }) },
  {
    what: "foreign site",
    kind: "FORBIDDEN",
    provoke: (server) => ask(server, ENV, { headers: { "sec-fetch-site": "same-site" } }),
  },
  { what: "unknown path", kind: "NOT_FOUND", provoke: (server) => ask(server, "/api/nothing") },
  { what: "wrong method", kind: "METHOD_NOT_ALLOWED", provoke: (server) => ask(server, ENV, { method: "DELETE" }) },
  {
    what: "slow headers",
    kind: "REQUEST_TIMEOUT",
    options: () => ({ limits: { headersTimeoutMs: 50, checkIntervalMs: 10 } }),
    provoke: async (server) => parseResponse(await raw(server, "GET / HTTP/1.1\r\n")),
  },
  {
    what: "file changed meanwhile",
    kind: "ENV_FILE_CHANGED",
    provoke: (server) => post(server, fastify, { "if-match": '"x"' }),
  },
  { what: "document changed meanwhile", kind: "SUITE_FILE_CHANGED", provoke: postStaleDocument },
  { what: "large body", kind: "PAYLOAD_TOO_LARGE", provoke: (server) => post(server, "x".repeat(70_000)) },
  {
    what: "another media type",
    kind: "UNSUPPORTED_MEDIA_TYPE",
    provoke: (server) => post(server, fastify, { "content-type": "text/plain" }),
  },
  {
    what: "large headers",
    kind: "HEADERS_TOO_LARGE",
    provoke: async (server) => parseResponse(await raw(server, `GET / HTTP/1.1\r\nX: ${"x".repeat(9_000)}\r\n\r\n`)),
  },
  {
    what: "env file missing",
    kind: "ENV_FILE_FAILED",
    options: () => ({ repository: repository({}) }),
    provoke: (server) => ask(server, ENV),
  },
  {
    what: "env file missing, write",
    kind: "ENV_FILE_FAILED",
    options: () => ({ repository: repository({}) }),
    provoke: (server) => post(server, fastify),
  },
  {
    what: "env file not readable",
    kind: "ENV_FILE_FAILED",
    options: failing("read", "EACCES"),
    provoke: (server) => ask(server, ENV),
  },
  {
    what: "disk full",
    kind: "ENV_FILE_FAILED",
    options: failing("replace", "ENOSPC"),
    provoke: (server) => post(server, fastify),
  },
  {
    what: "WebSocket without an upgrade",
    kind: "UPGRADE_REQUIRED",
    provoke: (server) => ask(server, SOCKET_PATH),
  },
  {
    what: "one WebSocket too many",
    kind: "SERVICE_BUSY",
    options: () => ({ limits: { maxSockets: 0 } }),
    provoke: (server) => openRefused(server),
  },
  {
    what: "too many wrong tokens",
    kind: "RATE_LIMITED",
    options: () => ({
      env: { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "right" },
      limits: { attempts: { failures: 1, windowMs: 60_000 } },
    }),
    provoke: async (server) => {
      await post(server, {}, { authorization: "Bearer wrong" });
      return await post(server, {}, { authorization: "Bearer wrong" });
    },
  },
  {
    what: "unsupported environment, ecosystem",
    kind: "INVALID_ENVIRONMENT",
    provoke: (server) => ask(server, `${ECOSYSTEM}?environment=qa`),
  },
  {
    what: "unsupported service kind",
    kind: "INVALID_REQUEST",
    provoke: (server) => ask(server, `${ECOSYSTEM}?serviceKind=toString`),
  },
  {
    what: "PM2's log not readable",
    kind: "EVENTS_FAILED",
    options: () => ({
      world: (ports: Ports): Ports => {
        const error = new FileError("EACCES", "/pm2/pm2.log", "Cannot open /pm2/pm2.log: permission denied.");
        return { ...ports, processLogs: { ...ports.processLogs, readPm2Log: () => Promise.reject(error) } };
      },
    }),
    provoke: (server) => ask(server, "/api/events"),
  },
  ...tokenCases,
  ...fileCases,
  {
    what: "metrics without PM2",
    kind: "PM2_METRICS_FAILED",
    options: () => ({ env: { PM2_HOME: "/nowhere/pm2" } }),
    provoke: (server) => ask(server, "/api/runtime/pm2-metrics"),
  },
  {
    what: "metrics asked for with a word that is neither true nor false",
    kind: "INVALID_REQUEST",
    provoke: (server) => ask(server, "/api/runtime/pm2-metrics?asyncContext=1"),
  },
  {
    what: "defect",
    kind: "DEFECT",
    options: () => ({
      world: (ports) => ({ ...ports, files: { ...ports.files, read: () => Promise.reject(new Error("secret")) } }),
    }),
    provoke: (server) => ask(server, ENV),
  },
];

const ordinary = sharedServer();

test("the error table", async () => {
  const rows: string[] = [];
  for (const { what, kind, options, provoke } of cases) {
    const server = options === undefined ? await ordinary() : await testServer(options());
    const { status, json } = await provoke(server);
    expect({ what, status, error: json.error }).toEqual({
      what,
      status: errorTable[kind].status,
      error: errorTable[kind].error,
    });
    failureBody.parse(json);
    const text = JSON.stringify(json, null, 2).replaceAll(server.repository.root, "<root>");
    rows.push(`# ${what}\n${status} ${text}\n`);
    if (options !== undefined) await server.close();
  }
  await expect(rows.join("\n")).toMatchFileSnapshot(join(import.meta.dirname, "snapshots/errors.txt"));
});

test("a command ends with an exit code that the reference explains", () => {
  const reference = readFileSync(join(import.meta.dirname, "../../docs/reference/settings.md"), "utf8");
  const [, section = ""] = reference.split("\n## Exit codes\n");
  const explained = [...section.split("\n## ")[0]!.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
  for (const [kind, { exitCode }] of Object.entries(errorTable)) expect(explained, kind).toContain(exitCode);
});

test("the error table has every refusal that a request can get", () => {
  const ofOtherFaces: readonly ErrorKind[] = [
    "START_REFUSED",
    "SUITE_FILE_FAILED",
    "FLEET_FAILED",
    "REVISION_FAILED",
    "LOGS_FAILED",
    "PM2_FAILED",
    "PROCESS_NOT_FOUND",
    "PROCESS_AMBIGUOUS",
    "PROCESS_ACTION_FAILED",
    "PROCESS_ACTION_REFUSED",
    "SELF_ACTION_BLOCKED",
    "ALERT_FAILED",
    ...(["MARK_REFUSED", "MARKS_FAILED"] as const),
    "PREFLIGHT_FAILED",
    "PLAN_STALE",
    "WORKTREE_DIRTY",
    ...(["APPLY_LOCKED", "APPLY_REFUSED", "APPLY_REVERTED", "APPLY_HALF"] as const),
    "RELEASE_NOT_FOUND",
    "NOTHING_TO_ROLL_BACK",
    ...(["PROPOSAL_NOT_FOUND", "PROPOSAL_REFUSED", "PROPOSAL_STALE", "PROPOSALS_FAILED"] as const),
    ...(["BOOT_FAILED", "DEPLOY_FAILED", "DEPLOY_IMPOSSIBLE", "DEPLOY_REFUSED", "DEPLOY_LOCKED"] as const),
  ];
  const covered = new Set([...cases.map(({ kind }) => kind), ...ofOtherFaces]);
  expect(Object.keys(errorTable).filter((kind) => !covered.has(kind as ErrorKind))).toEqual([]);
});

test("a refusal of an operation reaches the client unchanged", async () => {
  const facts = { details: "so it is", code: "EIO", path: "/a/path" } as const;
  const refusing = (ports: Ports): Ports => ({
    ...ports,
    files: { ...ports.files, read: () => Promise.reject(new SvcmError("ENV_FILE_FAILED", facts)) },
  });
  const answer = await ask(await testServer({ world: refusing }), ENV);
  expect(answer.json).toEqual({ error: "Environment file operation failed.", ...facts });
});
