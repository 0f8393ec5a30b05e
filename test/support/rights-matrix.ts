/**
 * The rights of each operation, for the tests that try them cell by cell. Each operation has one of the four scopes
 * below. The consequences are written here once more, by hand.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inputs } from "../../src/core/api/inputs.ts";
import { type Limits, roles, type Role } from "../../src/core/api/rights.ts";
import type { Operation, Ports } from "../../src/core/index.ts";
import * as table from "../../src/core/operations.ts";

export type AnyOperation = Operation<never, unknown>;
export const operations = Object.values(table).flatMap((one) =>
  "access" in one ? [one as unknown as AnyOperation] : [],
);

/** By what an operation shows or touches: a limit depends on it. */
export const scopes = {
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
export const scopeOf = (id: string): Scope | undefined =>
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

export const limits: Readonly<Record<string, Limits | undefined>> = {
  none: undefined,
  dev: { environments: ["dev"] },
  orders: { services: ["orders"] },
  "dev of orders": { environments: ["dev"], services: ["orders"] },
};
export const places = [
  { environment: "dev", service: "orders" },
  { environment: "production", service: "orders" },
  { environment: "dev", service: "billing" },
  { environment: "production", service: "billing" },
] as const;
export type Place = (typeof places)[number];
export const appOf = ({ environment, service }: Place): string => `${service}-${environment}`;
export const isWithin = ({ environment, service }: Place, { environments, services }: Limits): boolean =>
  (environments?.includes(environment) ?? true) && (services?.includes(service) ?? true);

/** Members without which no front end takes the request. */
const required: Readonly<Record<string, object>> = {
  "code.explain": { code: "TOKEN_LIMITED" },
  "deploy.run": { revision: "main", plan: "x" },
  "declarations.plan": { document: {} },
  "declarations.write": { document: {} },
  "env.write": { values: { LOG_LEVEL: "debug" }, foreignKeys: "ignore" },
  "history.record": { on: true },
  "logs.prune": { apply: true },
  "logs.rotate": { dryRun: false },
  "mark.mute": { subject: "process:api" },
  "mark.note": { subject: "process:api", text: "a note" },
  "metrics.expose": { version: "1.2.3", format: "openmetrics" },
  "process.act": { action: "restart" },
  "process.scale": { instances: 2 },
  "process.wait": { pmIds: [], timeoutMs: 1 },
  "profile.show": { profile: "x" },
  "proposal.approve": { id: "AAAAAAAA", planId: "x" },
  "proposal.create": { kind: "apply" },
  "proposal.deny": { id: "AAAAAAAA" },
  "release.show": { release: "20260101T000000Z-0000" },
  "rollout.apply": { plan: "x" },
  "rollout.rollback-plan": { release: "20260101T000000Z-0000" },
  "startup.check": { entrypoint: "rest" },
  "token.create": { name: "other", role: "viewer" },
  "token.revoke": { name: "other" },
};

export function inputFor({ id }: AnyOperation, place: Place): object {
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
    ...required[id],
  };
  return Object.fromEntries(Object.entries(all).filter(([member]) => members.includes(member)));
}

export function outcome(operation: AnyOperation, role: Role, limit: Limits | undefined, place: Place): string {
  if (!mayUse(role, operation)) return "RIGHT_MISSING";
  const scope = scopeOf(operation.id);
  if (limit === undefined || scope === "shared") return "permitted";
  return scope !== "whole" && isWithin(place, limit) ? "permitted" : "TOKEN_LIMITED";
}

export const ENVIRONMENTS = ["dev", "production"];
const SERVICES = ["orders", "billing"];

/** The members of svcm.yaml that declare an app for each place. */
export const declared = {
  environments: { dev: [], production: ["prod"] },
  services: Object.fromEntries(
    SERVICES.map((service) => {
      const of = (kind: (environment: string) => string) =>
        Object.fromEntries(ENVIRONMENTS.map((environment) => [environment, kind(environment)]));
      const ecosystem = of((environment) => `${service}.${environment}.config.cjs`);
      return [service, { ecosystem, env: of((environment) => `.env.${service}.${environment}`) }];
    }),
  ),
};

/** Reads each ecosystem file once, because each reading starts a process and hundreds of cells ask for the same files. */
export function readingOnce(ports: Ports): Ports {
  const { ecosystems } = ports;
  const loads = new Map<string, ReturnType<typeof ecosystems.load>>();
  const load: typeof ecosystems.load = (...args) => {
    const key = JSON.stringify(args);
    const loaded = loads.get(key) ?? ecosystems.load(...args);
    loads.set(key, loaded);
    return loaded;
  };
  return { ...ports, ecosystems: { ...ecosystems, load } };
}

export function writeApps(root: string): void {
  writeFileSync(join(root, "x.cjs"), "");
  for (const place of places) {
    const app = { name: appOf(place), script: "./x.cjs" };
    const path = join(root, `${place.service}.${place.environment}.config.cjs`);
    writeFileSync(path, `module.exports = ${JSON.stringify({ apps: [app] })};`);
    writeFileSync(join(root, `.env.${place.service}.${place.environment}`), "LOG_LEVEL=info\n");
  }
  mkdirSync(join(root, ".pm2"), { recursive: true });
}
