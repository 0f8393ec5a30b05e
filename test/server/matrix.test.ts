/**
 * Each operation with each role and limit, in the core, over HTTP and over the WebSocket. Each operation of the table has one of the four scopes below; what follows from
 * it is written here once more, by hand, and tried cell by cell.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inputs } from "../../src/core/api/inputs.ts";
import type { Limits } from "../../src/core/api/limits.ts";
import { roles, type Role } from "../../src/core/api/rights.ts";
import { authorise, nodePorts, rightsOf, SvcmError, type Operation } from "../../src/core/index.ts";
import * as table from "../../src/core/operations.ts";
import { routes } from "../../src/server/routes.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";
import { bearer, createToken } from "../support/tokens.ts";
import { manualTelemetry, withTelemetry } from "./socket/hand-telemetry.ts";
import { open } from "./socket/support.ts";
import { ask, repository, testServer, type TestServer } from "./support.ts";

type AnyOperation = Operation<never, unknown>;
const operations = Object.values(table).flatMap((one) => ("access" in one ? [one as unknown as AnyOperation] : []));

/** By what an operation shows or touches: a limit depends on it. */
const scopes = {
  /** Lists and facts that all environments share: a limit does not matter. */
  shared:
    "audit.list code.explain completion.list contract.show daemon.show declarations.plan declarations.read deployments.check deployments.diff entry.question events.list history.show identity.show keys.list logs.usage mark.list metrics.expose node.show process.list process.wait profile.list profile.show project.doctor proposal.list release.list release.show repository.check rollout.rollback-plan schema.show suite.validate",
  /** An environment and a service, which the request names: both must be within the limits. */
  named:
    "boot.show deploy.plan deploy.run ecosystem.check ecosystem.drift ecosystem.show env.app env.check env.diff env.export env.plan env.process env.read env.rewrite env.source env.template env.unset env.write metrics.show process.act profile.apply proposal.create rollout.apply rollout.plan startup.check status.show",
  /** The text of processes: all of them must be of environments and services within the limits. */
  text: "event.why logs.read process.show",
  /** The machine or the repository: never with a limit. */
  whole:
    "alerts.test boot.disable boot.drain boot.enable boot.restore boot.save configuration.set daemon.renew declarations.write deployments.migrate history.record interface.add interface.edit interface.remove keys.add keys.confirm keys.set-tier logs.prune logs.rotate mark.mute mark.note process.run process.scale project.init proposal.approve proposal.deny proposal.run rollout.rollback target.add target.duplicate target.edit target.remove token.create token.list token.revoke",
} as const;
type Scope = keyof typeof scopes;
const scopeOf = (id: string): Scope | undefined =>
  (Object.keys(scopes) as Scope[]).find((scope) => scopes[scope].split(" ").includes(id));

/** By hand, not from `rightsOf`. */
const weakest: Readonly<Record<Exclude<AnyOperation["access"], "propose">, Role>> = {
  read: "viewer",
  logs: "operator",
  act: "operator",
  write: "editor",
  admin: "admin",
};
/** No role may propose: it is a right of a token. */
const mayUse = (role: Role, { access }: AnyOperation): boolean =>
  access !== "propose" && roles.indexOf(role) >= roles.indexOf(weakest[access]);

const limits: Readonly<Record<string, Limits | undefined>> = {
  none: undefined,
  dev: { environments: ["dev"] },
  orders: { services: ["orders"] },
  "dev of orders": { environments: ["dev"], services: ["orders"] },
};
const places = [
  { environment: "dev", service: "orders" },
  { environment: "production", service: "orders" },
  { environment: "dev", service: "billing" },
  { environment: "production", service: "billing" },
] as const;
type Place = (typeof places)[number];
const appOf = ({ environment, service }: Place): string => `${service}-${environment}`;
const isWithin = ({ environment, service }: Place, { environments, services }: Limits): boolean =>
  (environments?.includes(environment) ?? true) && (services?.includes(service) ?? true);

function inputFor({ id }: AnyOperation, place: Place): object {
  const schema = inputs[id];
  const members = "shape" in schema ? Object.keys(schema.shape) : [];
  const { environment, service } = place;
  const all = {
    environment,
    service,
    from: environment,
    to: environment,
    name: appOf(place),
    names: [appOf(place)],
    app: appOf(place),
    apps: [appOf(place)],
    // A scope of processes would need them to run.
    scope: "ecosystem",
  };
  return Object.fromEntries(Object.entries(all).filter(([member]) => members.includes(member)));
}

function outcome(operation: AnyOperation, role: Role, limit: Limits | undefined, place: Place): string {
  if (!mayUse(role, operation)) return "RIGHT_MISSING";
  const scope = scopeOf(operation.id);
  if (limit === undefined || scope === "shared") return "permitted";
  return scope !== "whole" && isWithin(place, limit) ? "permitted" : "TOKEN_LIMITED";
}

const SERVICES = ["orders", "billing"];
const ENVIRONMENTS = ["dev", "production"];
function project() {
  const files = repository();
  const services = SERVICES.map((service) => {
    const of = (kind: (environment: string) => string): string =>
      `{ ${ENVIRONMENTS.map((environment) => `${environment}: ${kind(environment)}`).join(", ")} }`;
    const ecosystem = of((environment) => `${service}.${environment}.config.cjs`);
    return `  ${service}: { ecosystem: ${ecosystem}, env: ${of((environment) => `.env.${service}.${environment}`)} }`;
  });
  const text = `version: 1\nenvironments: { dev: [], production: [prod] }\nservices:\n${services.join("\n")}\n`;
  writeFileSync(join(files.root, "svcm.yaml"), text);
  writeFileSync(join(files.root, "x.cjs"), "");
  for (const place of places) {
    const app = { name: appOf(place), script: "./x.cjs" };
    const path = join(files.root, `${place.service}.${place.environment}.config.cjs`);
    writeFileSync(path, `module.exports = ${JSON.stringify({ apps: [app] })};`);
    writeFileSync(join(files.root, `.env.${place.service}.${place.environment}`), "LOG_LEVEL=info\n");
  }
  mkdirSync(join(files.root, ".pm2"));
  return files;
}

test("every operation of the table has one scope", () => {
  const listed = Object.values(scopes).flatMap((ids) => ids.split(" "));
  expect(listed.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

describe.each(roles)("the role %s", (role) => {
  test.each(sampleOrAll(Object.keys(limits), ["dev of orders"]))("with the limit %s", async (name) => {
    const { root } = project();
    const ports = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
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
const refusals = new Set(["RIGHT_MISSING", "TOKEN_LIMITED"]);

/** The core decides the same for each operation, in every run. */
describe.each(roles)("over HTTP and WebSocket, the role %s", (role) => {
  longTest.each(Object.keys(limits))("with the limit %s", async (name) => {
    const files = project();
    const limit = limits[name];
    const token = await createToken(files.root, "bot", role, limit as never);
    const world = withTelemetry(manualTelemetry({ accepts: ENVIRONMENTS }));
    const server = await testServer({ repository: files, env: PUBLIC, world });
    const [cells, expected] = [[] as string[], [] as string[]];
    for (const route of routes) {
      if (!("operation" in route) || route.method !== "GET") continue;
      const operation = route.operation as AnyOperation;
      for (const place of places) {
        const cell = `${route.path} ${appOf(place)}`;
        expected.push(`${cell}: ${outcome(operation, role, limit, place)}`);
        const given = Object.entries(inputFor(operation, place)).filter(([member]) => route.query?.includes(member));
        const query = new URLSearchParams(given.map(([member, value]) => [member, String(value)]));
        const { json } = await ask(server, `${route.path}?${query}`, { headers: bearer(token) });
        cells.push(`${cell}: ${refusals.has(json.code) ? json.code : "permitted"}`);
      }
    }
    for (const place of places) cells.push(...(await streamCells(server, token, place)));
    for (const place of places) expected.push(...expectedStreams(role, limit, place));
    expect(cells).toEqual(expected);
  });
});

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
