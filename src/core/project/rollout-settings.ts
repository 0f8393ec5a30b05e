/** Checks, editor schemas and settings of `rollout` are derived from these members. */
import { parseDuration } from "../words/time.ts";
import { isPort } from "../words/numbers.ts";
import { isRecord } from "../words/record.ts";
import { quoteValue } from "../findings/text.ts";
import { withAccepted, acceptedText, type Finding } from "../findings/rule.ts";

export const probeProtocols = ["http", "websocket", "grpc", "none"] as const;

const TIME = /^(\d{1,4})(ms|s|m)$/;
const PATH = /^\/[\x21-\x7e]{0,500}$/;
const NAME = /^[A-Za-z_][\w.-]{0,199}$/;
const MAX_RELEASES = 100;

export interface ValueForm {
  readonly matches: (value: unknown) => boolean;
  readonly expected: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Member extends ValueForm {
  readonly help: string;
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value);
const isOneOf = (value: unknown, all: readonly unknown[]): boolean => all.includes(value);

const time = {
  matches: (value) => isText(value, TIME),
  expected: "a time of at most four digits in ms, s or m, such as 500ms, 2s or 1m",
  schema: { type: "string", pattern: TIME.source },
} satisfies ValueForm;
const flag = {
  matches: (value) => typeof value === "boolean",
  expected: "true or false",
  schema: { type: "boolean" },
} satisfies ValueForm;
const count = {
  matches: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RELEASES,
  expected: `an integer from 1 to ${MAX_RELEASES}`,
  schema: { type: "integer", minimum: 1, maximum: MAX_RELEASES },
} satisfies ValueForm;
const serviceName = {
  matches: (value) => isText(value, NAME),
  expected: "a name such as items.v1.Items",
  schema: { type: "string", pattern: NAME.source },
} satisfies ValueForm;

export const healthMembers: Readonly<Record<string, Member>> = {
  protocol: {
    matches: (value) => isOneOf(value, probeProtocols),
    expected: probeProtocols.join(", "),
    schema: { enum: probeProtocols },
    help: "Protocol of the probe. With none, a process only has to stay online. Defaults to http.",
  },
  path: {
    matches: (value) => isText(value, PATH),
    expected: "a path that begins with a slash, such as /health",
    schema: { type: "string", pattern: PATH.source },
    help: "Path of the probe. Defaults to /health, or to that of Socket.IO for websocket.",
  },
  port: {
    matches: (value) => (typeof value === "number" ? isPort(value) : isText(value, NAME)),
    expected: "a port from 1 to 65535, or the name of the variable that holds it, such as PORT",
    schema: {
      anyOf: [
        { type: "integer", minimum: 1, maximum: 65_535 },
        { type: "string", pattern: NAME.source },
      ],
    },
    help: "Variable that holds the port, or the port. Defaults to SVC_HTTP_PORT, or to SVC_GRPC_PORT for grpc.",
  },
  service: { ...serviceName, help: "Service of the gRPC health protocol. Defaults to the whole server." },
};

export const rolloutMembers: Readonly<Record<string, Member>> = {
  minHealthyTime: { ...time, help: "Time that a new process has to stay online. Defaults to 2s." },
  healthyDeadline: { ...time, help: "Time that each process has to become healthy. Defaults to 30s." },
  autoRevert: {
    ...flag,
    help: "A failure restores the former definitions of the touched apps. Defaults to true.",
  },
  preflight: { ...flag, help: "Each changed app first starts once on a spare port. Defaults to false." },
  keepReleases: { ...count, help: "Number of releases that svcm keeps. Defaults to 10." },
};

export function readMilliseconds(value: unknown): number | undefined {
  return typeof value === "string" ? parseDuration(value, TIME) : undefined;
}

export function readHealth(rollout: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const health = isRecord(rollout) ? rollout["health"] : undefined;
  const entries = isRecord(health) ? Object.entries(health) : [];
  return Object.fromEntries(entries.flatMap(([suffix, probe]) => (isRecord(probe) ? [[suffix, probe]] : [])));
}

export interface RolloutSettings {
  readonly minHealthyMs: number;
  readonly deadlineMs: number;
  readonly autoRevert: boolean;
  readonly preflight: boolean;
  readonly keepReleases: number;
  readonly health: Readonly<Record<string, HealthSettings>>;
}

export interface HealthSettings {
  readonly protocol?: (typeof probeProtocols)[number];
  readonly path?: string;
  readonly port?: number | string;
  readonly service?: string;
}

/** Later members `rollout` override earlier ones. */
export function mergeSettings(...members: readonly unknown[]): RolloutSettings {
  const names = Object.keys(rolloutMembers);
  const all = Object.assign({}, ...members) as Readonly<Record<string, unknown>>;
  const {
    minHealthyTime = "2s",
    healthyDeadline = "30s",
    ...others
  } = Object.fromEntries(Object.entries(all).filter(([member]) => names.includes(member)));
  const { autoRevert = true, preflight = false, keepReleases = 10 } = others as Partial<RolloutSettings>;
  return {
    minHealthyMs: readMilliseconds(minHealthyTime) ?? 0,
    deadlineMs: readMilliseconds(healthyDeadline) ?? 0,
    autoRevert,
    preflight,
    keepReleases,
    health: Object.assign({}, ...members.map((one) => readHealth(one))) as RolloutSettings["health"],
  };
}

interface RolloutFinding extends Finding {
  readonly path: readonly string[];
}

type MemberTable = Readonly<Record<string, Pick<Member, "matches" | "expected">>>;

const SUFFIX = /^[\w.-]{1,200}$/;

const PROBES: MemberTable[string] = {
  matches: isRecord,
  expected: "a map of probes by the suffix of an app's name, such as { restapi: { path: /health } }",
};
const SETTINGS: MemberTable = { ...rolloutMembers, health: PROBES };

export function rolloutFindings(rollout: unknown): RolloutFinding[] {
  if (!isRecord(rollout)) return [notAMap([], SETTINGS)];
  const { health } = rollout;
  return [
    ...memberFindings(rollout, SETTINGS, []),
    ...(isRecord(health) ? Object.entries(health).flatMap(([suffix, probe]) => probeFindings(suffix, probe)) : []),
  ];
}

function probeFindings(suffix: string, probe: unknown): RolloutFinding[] {
  const path = ["health", suffix];
  const accepted = "the suffix of an app's name: letters, digits, _, . and -";
  if (!SUFFIX.test(suffix)) return [{ path, message: acceptedText(`${quoteValue(suffix)} is not accepted`, accepted) }];
  return isRecord(probe) ? memberFindings(probe, healthMembers, path) : [notAMap(path, healthMembers)];
}

function memberFindings(
  values: Readonly<Record<string, unknown>>,
  members: MemberTable,
  parent: readonly string[],
): RolloutFinding[] {
  return Object.entries(values).flatMap(([name, value]): RolloutFinding[] => {
    const path = [...parent, name];
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined)
      return [{ path, ...withAccepted(`${quoteValue(name)} is not a known key here`, Object.keys(members), name) }];
    return member.matches(value)
      ? []
      : [{ path, message: acceptedText(`${quoteValue(value)} is not accepted`, member.expected) }];
  });
}

function notAMap(path: readonly string[], members: MemberTable): RolloutFinding {
  return { path, message: acceptedText("not a map", `a map of ${Object.keys(members).join(", ")}`) };
}
