/**
 * Each operation with each role and limit, in the core, over HTTP, over MCP and over the WebSocket, cell by cell. The
 * same over NATS is in test/fleet/matrix.test.ts.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Limits, roles, type Role } from "../../src/core/api/rights.ts";
import { authorise, nodePorts, rightsOf, SvcmError } from "../../src/core/index.ts";
import * as table from "../../src/core/operations.ts";
import { openMcp } from "../../src/mcp/index.ts";
import { listTools } from "../../src/mcp/tools.ts";
import type { OperationRoute } from "../../src/server/route.ts";
import { routes } from "../../src/server/routes.ts";
import { overHttp } from "../support/mcp-client.ts";
import {
  type AnyOperation,
  appOf,
  declared,
  ENVIRONMENTS,
  inputFor,
  limits,
  operations,
  outcome,
  type Place,
  places,
  readingOnce,
  scopeOf,
  scopes,
  writeApps,
} from "../support/rights-matrix.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";
import { bearer, createToken } from "../support/tokens.ts";
import { manualTelemetry, withTelemetry } from "./socket/hand-telemetry.ts";
import { open } from "./socket/support.ts";
import { ask, post, repository, testServer, type TestServer } from "./support.ts";

function project() {
  const files = repository();
  writeFileSync(join(files.root, "svcm.yaml"), JSON.stringify({ version: 1, ...declared }));
  writeApps(files.root);
  return files;
}

test("every operation of the table has one scope", () => {
  const listed = Object.values(scopes).flatMap((ids) => ids.split(" "));
  expect(listed.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

describe.each(roles)("the role %s", (role) => {
  test.each(sampleOrAll(Object.keys(limits), ["dev of orders"]))("with the limit %s", async (name) => {
    const { root } = project();
    const ports = readingOnce(nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root }));
    const limit = limits[name];
    const caller = { actor: "bot", role, grants: rightsOf[role], ...(limit && { limits: limit }) };
    const cells: string[] = [];
    const expected: string[] = [];
    for (const operation of operations)
      for (const place of places) {
        const cell = `${operation.id} ${appOf(place)}`;
        expected.push(`${cell}: ${outcome(operation, role, limit, place)}`);
        const answer = await authorise(operation, ports, inputFor(operation, place) as never, caller).then(
          () => "permitted",
          (error: unknown) =>
            error instanceof SvcmError ? (error.body.code ?? error.kind) : Promise.reject(error as Error),
        );
        cells.push(`${cell}: ${answer}`);
      }
    expect(cells).toEqual(expected);
  });
});

const PUBLIC = { SVC_SERVICE_MANAGEMENT_PUBLIC_URL: "https://ops.example.com" };
const RELEASE = "20260101T000000Z-0000";
const refusals = new Set(["RIGHT_MISSING", "TOKEN_LIMITED"]);

/** The core decides the same for each operation, in every run. */
describe.each(roles)("over HTTP, MCP and WebSocket, the role %s", (role) => {
  longTest.each(Object.keys(limits))("with the limit %s", async (name) => {
    const files = project();
    const limit = limits[name];
    const token = await createToken(files.root, "bot", role, limit as never);
    const world = withTelemetry(manualTelemetry({ accepts: ENVIRONMENTS }));
    const server = await testServer({
      repository: files,
      env: PUBLIC,
      world,
      openMcp: (ports, log, askNode) =>
        Promise.resolve(openMcp({ ports, version: "1.2.3", log, docs: files.root, askNode })),
    });
    const due = (operation: AnyOperation, place: Place): string => outcome(operation, role, limit, place);
    const { expected, found } = await httpCells(server, token, due);
    expect(found).toEqual(expected);
    const overMcp = await mcpCells(server, token, due);
    expect(overMcp.found).toEqual(overMcp.expected);
    const streams = [];
    for (const place of places) streams.push(...(await streamCells(server, token, place)));
    expect(streams).toEqual(places.flatMap((place) => expectedStreams(role, limit, place)));
  });
});

interface Cells {
  readonly expected: readonly string[];
  readonly found: readonly string[];
}

type Due = (operation: AnyOperation, place: Place) => string;

async function httpCells(server: TestServer, token: string, due: Due): Promise<Cells> {
  const [expected, found] = [[] as string[], [] as string[]];
  for (const route of routes.filter((one) => "operation" in one)) {
    const operation = route.operation as AnyOperation;
    // A permitted change would happen; the core permits the same.
    const tried = places.filter((place) => route.method === "GET" || due(operation, place) !== "permitted");
    for (const place of tried) {
      const cell = `${route.method} ${route.path} ${appOf(place)}`;
      // A rollback over HTTP names its release, whose environment then decides. There is none.
      const isOfRelease = operation.id === "rollout.rollback" && due(operation, place) === "TOKEN_LIMITED";
      const input = { ...inputFor(operation, place), ...(isOfRelease && { release: RELEASE, plan: "x" }) };
      expected.push(`${cell}: ${isOfRelease ? "RELEASE_NOT_FOUND" : due(operation, place)}`);
      found.push(`${cell}: ${await codeOf(server, token, route, input)}`);
    }
  }
  return { expected, found };
}

/** A tool that a token may not call is not offered. */
async function mcpCells(server: TestServer, token: string, due: Due): Promise<Cells> {
  const [expected, found] = [[] as string[], [] as string[]];
  const program = await overHttp(server.url, token);
  const offered = await program.tools();
  for (const { name, operation, inputSchema } of listTools("1.2.3"))
    for (const place of scopeOf(operation.id) === "shared" ? places.slice(0, 1) : places) {
      const given = Object.entries(inputFor(operation, place)).filter(([member]) => member in inputSchema.properties);
      const words = offered.includes(name)
        ? (await program.call(name, Object.fromEntries(given))).words
        : "RIGHT_MISSING";
      expected.push(`${name} ${appOf(place)}: ${due(operation, place)}`);
      found.push(`${name} ${appOf(place)}: ${/RIGHT_MISSING|TOKEN_LIMITED/.exec(words)?.[0] ?? "permitted"}`);
    }
  return { expected, found };
}

/** Resolves with the code of a refusal of access, or `permitted`. */
async function codeOf(server: TestServer, token: string, route: OperationRoute, input: object): Promise<string> {
  const members = Object.entries(input);
  const inQuery = members.filter(([member]) => route.query?.includes(member));
  const query = new URLSearchParams(inQuery.map(([member, value]) => [member, String(value)]));
  const path = `${route.path.replace(":release", RELEASE)}?${query}`;
  const fixed = route.fixed ?? {};
  const shape = route.body !== undefined && "shape" in route.body ? Object.keys(route.body.shape as object) : undefined;
  const body = members.filter(
    ([member]) => route.query?.includes(member) !== true && !(member in fixed) && shape?.includes(member) !== false,
  );
  const { json } =
    route.method === "GET"
      ? await ask(server, path, { headers: bearer(token) })
      : await post(server, Object.fromEntries(body), bearer(token), path);
  return route.method === "GET" && !refusals.has(json.code) ? "permitted" : json.code;
}

const watch = table.metricsShow as AnyOperation;
const logs = table.logsRead as AnyOperation;
const act = table.processAct as AnyOperation;

function expectedStreams(role: Role, limit: Limits | undefined, place: Place): string[] {
  const watched = outcome(watch, role, limit, place);
  return [
    `subscribe ${appOf(place)}: ${watched}`,
    `logs.subscribe ${appOf(place)}: ${outcome(logs, role, limit, place)}`,
    `action ${appOf(place)}: ${watched === "permitted" ? outcome(act, role, limit, place) : watched}`,
  ];
}

async function streamCells(server: TestServer, token: string, place: Place): Promise<string[]> {
  const { environment, service } = place;
  const client = await open(server, { headers: bearer(token) });
  const codeAfter = async (frame: object, type?: string): Promise<string> => {
    client.send(frame);
    const { code } = await client.next(type);
    return refusals.has(code) ? code : "permitted";
  };
  const watched = await codeAfter({ type: "subscribe", environment, service, history: false });
  // An action concerns the environment of the subscription.
  const action = { type: "action", action: "restart", scope: "ecosystem", service, name: appOf(place) };
  const acted = watched === "permitted" ? await codeAfter(action, "action-result") : watched;
  // PM2 does not run, so a permitted subscription ends with its failure.
  const read = await codeAfter({ type: "logs.subscribe", apps: [appOf(place)] });
  client.socket.terminate();
  return [
    `subscribe ${appOf(place)}: ${watched}`,
    `logs.subscribe ${appOf(place)}: ${read}`,
    `action ${appOf(place)}: ${acted}`,
  ];
}
