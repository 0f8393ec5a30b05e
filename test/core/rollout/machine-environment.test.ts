/** A command without an environment on a machine that has one. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import {
  findCommonEnvironment,
  forMachine,
  withMachineEnvironment,
} from "../../../src/core/rollout/machine-environment.ts";
import { playRollout } from "./played-rollout.ts";
import { running } from "./control/played-pm2.ts";

interface Machine {
  /** By app, the environment of the last apply, and its service if it has one. */
  readonly applied?: Readonly<Record<string, string>>;
  /** Of `svcm init`. */
  readonly recorded?: string;
  readonly running?: readonly string[] | Error;
  readonly nodeEnv?: string;
  /** Those of svcm.yaml; without them, there is no file. */
  readonly declared?: readonly string[];
}

function play({ applied = {}, recorded, running: names = [], nodeEnv, declared }: Machine) {
  const world = playRollout(names instanceof Error ? [] : names.map((name, pmId) => running(pmId, { name })));
  const apps = Object.entries(applied).map(([name, place]) => {
    const [environment, service = ""] = place.split("/");
    return [name, { environment, service, keys: [], envFiles: [] }];
  });
  const at = "2026-11-22T04:41:03.000Z";
  const head = {
    event: "release",
    id: "20261122-044103-b8f9",
    startedAt: at,
    steps: [],
    before: [],
    left: { apps: {} },
  };
  const end = { event: "end", outcome: "applied", at, left: { apps: Object.fromEntries(apps) as never } };
  if (apps.length > 0) world.journals.push([head, end] as never);
  if (recorded !== undefined) world.more.recorded = recorded;
  const list = () => (names instanceof Error ? Promise.reject(names) : Promise.resolve(world.pm2.list()));
  const environments = declared && Object.fromEntries(declared.map((name) => [name, []]));
  const project = async () => environments && ({ environments } as never);
  const { ports } = world;
  const { workspace, facts, processes } = ports;
  return {
    ...ports,
    workspace: { ...workspace, nodeEnv },
    facts: { ...facts, project },
    processes: { ...processes, list },
  };
}

const silent = new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT" });
const MIXED = { api: "production", web: "dev" };

test.each<[string, Machine, object, string | undefined]>([
  ["that of the request", { applied: { api: "production" } }, { environment: "dev" }, "dev"],
  ["left to NODE_ENV", { applied: { api: "production" }, nodeEnv: "test" }, {}, undefined],
  ["that of the machine if NODE_ENV is blank", { applied: { api: "production" }, nodeEnv: " " }, {}, "production"],
  ["that of the last apply", { applied: { api: "production", web: "production" }, recorded: "dev" }, {}, "production"],
  ["that which svcm init recorded", { recorded: "staging" }, {}, "staging"],
  ["unknown on a new machine", {}, {}, undefined],
  ["that of the apps that run", { applied: MIXED, running: ["web"] }, {}, "dev"],
  [
    "that of the record if apps of two environments run",
    { applied: MIXED, running: ["api", "web"], recorded: "x" },
    {},
    "x",
  ],
  ["that of the record if none of such apps runs", { applied: MIXED, recorded: "x" }, {}, "x"],
  ["that of the record if PM2 does not answer", { applied: MIXED, running: silent, recorded: "x" }, {}, "x"],
  ["that of the service", { applied: { api: "production/shop", web: "dev/blog" } }, { service: "shop" }, "production"],
  ["that of the record for another service", { applied: { api: "dev/shop" }, recorded: "x" }, { service: "blog" }, "x"],
])("the environment is %s", async (_what, machine, request: { environment?: string }, expected) => {
  expect((await withMachineEnvironment(play(machine), request, {})).environment).toBe(expected);
});

describe("the environment of the machine", () => {
  const machine: Machine = { applied: { api: "production" }, declared: ["production"] };
  const of = async (how: Machine, caller: object) => await forMachine(play(how), {}, caller as never);

  test("is not that of a request whose token has limits, because these were checked for the request", async () => {
    expect(await withMachineEnvironment(play(machine), {}, { limits: { environments: ["dev"] } })).toEqual({});
  });

  test("is for the files of a command, and not for those of the API, whose specification says what it means", async () => {
    expect(await of(machine, { source: "cli" })).toEqual({ environment: "production" });
    expect(await of(machine, { source: "mcp" })).toEqual({ environment: "production" });
    for (const source of ["http", "ws"]) expect(await of(machine, { source })).toEqual({});
    expect(await of({ applied: { api: "production" } }, { source: "cli" })).toEqual({});
  });

  test("by svcm init is one that svcm.yaml declares, or the refusal says where it comes from", async () => {
    const found = withMachineEnvironment(play({ recorded: "prod", declared: ["dev", "production"] }), {}, {});
    await expect(found).rejects.toMatchObject({
      kind: "INVALID_ENVIRONMENT",
      body: {
        details: expect.stringMatching(/recorded this machine as "prod".* Accepted: dev, production\.$/),
        hint: "svcm init --machine-environment dev",
      },
    });
    const known = withMachineEnvironment(play({ recorded: "dev", declared: ["dev"] }), {}, {});
    expect(await known).toEqual({ environment: "dev" });
  });

  test("is not known from apps that no longer run, while another one does", () => {
    const apps = { api: { environment: "production" }, web: { environment: "dev" } } as never;
    expect(findCommonEnvironment(apps, new Set(["web", "other"]), undefined)).toBe("dev");
    expect(findCommonEnvironment(apps, new Set(["other"]), undefined)).toBeUndefined();
  });
});
