/** Everything that makes a renewal fail is named before it begins. */
import { describe, expect, test } from "vitest";
import { differenceText, renewalProblems, type RenewalFacts } from "../../../src/core/boot/renewal.ts";
import { boot, daemon, daemonFacts, HOME, online, saved, unit } from "./facts.ts";

const program = { node: "/opt/my node/bin/node", svcm: "/opt/svcm/bin/run.js" };
const root = { name: "root", uid: 0, folder: "/root" };
const renewal = { step: "forward", startedAtMs: 0, node: program.node, formerPid: 77, unit: null } as const;

function facts(fields: Partial<RenewalFacts> = {}): RenewalFacts {
  return {
    ...daemonFacts(),
    node: program.node,
    nodeVersion: "22.1.0",
    former: daemon({ group: "/user.slice/session-3.scope" }),
    running: [online()],
    own: { pids: [1], pm2: null },
    system: boot().system,
    unit: undefined,
    home: HOME,
    program,
    standing: null,
    ...fields,
  };
}
const asRoot = { system: { ...boot().system, current: root } };
const problems = (fields: Partial<RenewalFacts>, goBack = false): string =>
  renewalProblems(facts(fields), goBack).join();

test("a daemon that a session started is renewed", () => {
  expect(problems({})).toBe("");
});

const { declaration } = online();
const job = online({
  name: "nightly",
  declaration: { ...declaration, settings: { ...declaration.settings, autorestart: false, cronRestart: "0 3 1 1 *" } },
});

test.each([
  ["the daemon of another user", asRoot, /runs as deploy, and you are root; run it as deploy/],
  [
    "the daemon of another user, after a renewal that was cut off",
    { ...asRoot, standing: renewal },
    /^the daemon runs as deploy/,
  ],
  ["an unreadable list", { saved: saved([], { state: "unreadable" }) }, /dump\.pm2 cannot be read, so the list cannot/],
  ["a relative path", { node: "node" }, /--node takes an absolute path, and node is not one/],
  ["no PM2", { library: null }, /no PM2 is installed/],
  ["two daemons", { daemons: [daemon(), daemon({ pid: 78 })] }, /2 daemons use this PM2_HOME: pid 77, 78/],
  ["pm2-runtime", { former: daemon({ isForeground: true }) }, /PM2 runs in the foreground/],
  ["no processes to see", { daemons: undefined }, /does not show the daemons of PM2/],
  ["a file that does not run", { nodeVersion: null }, /is not a Node\.js that runs/],
  [
    "a version that the project does not ask for",
    { wantedNode: { file: ".nvmrc", range: "v1.2.3" } },
    /is Node\.js 22\.1\.0, and \.nvmrc asks for v1\.2\.3/,
  ],
  ["no daemon", { former: undefined }, /no PM2 daemon with this PM2_HOME runs/],
  ["a job that runs", { running: [job] }, /^nightly runs, and would be cut off/],
  ["an app that PM2 launches", { running: [online({ status: "launching" })] }, /is launching/],
] as const)("%s is refused", (_name, fields, text) => {
  expect(problems(fields)).toMatch(text);
});

test("a return without a renewal that was cut off is refused", () => {
  expect(problems({}, true)).toBe("no renewal was cut off, so there is nothing to return from");
});

describe("a daemon of a unit", () => {
  const system = { unit: unit(), former: daemon() };
  const user = { unit: unit({ name: "svcm-pm2.service", scope: "user" }), former: daemon() };

  test("of the system needs root, who gets the exact command", () => {
    expect(problems(system)).toContain(
      `only root may restart: sudo PM2_HOME=${HOME} '/opt/my node/bin/node' /opt/svcm/bin/run.js daemon renew`,
    );
    expect(problems({ ...system, node: "/usr/bin/node" })).toMatch(/daemon renew --node \/usr\/bin\/node$/);
    // A return is a restart of the unit as well.
    expect(problems({ ...system, standing: { ...renewal } }, true)).toMatch(/only root may restart/);
    // Root cannot judge the PM2 of the other user.
    expect(problems({ ...system, ...asRoot, library: null })).toBe("");
  });

  test("of a user belongs to that user", () => {
    expect(problems(user)).toBe("");
    expect(problems({ ...user, ...asRoot })).toMatch(/run it as deploy/);
  });

  test("with a command that svcm does not know stays with its owner", () => {
    expect(problems({ ...system, ...asRoot, unit: unit({ starts: "other" }) })).toMatch(
      /starts PM2 by its own command; .*svcm boot save && sudo systemctl restart svcm-pm2-deploy\.service$/,
    );
  });
});

test("the path of the Node.js may differ, and nothing else", () => {
  const before = [online({ name: "api", interpreter: "/old/node" })];
  expect(differenceText(before, [online({ name: "api", interpreter: "/new/node" })])).toBeUndefined();
  expect(differenceText(before, [])).toBe("api is not as it was before (extra: 1 before, 0 after)");
  expect(differenceText(before, [online({ name: "api", interpreter: "/old/node", cwd: "/other" })])).toBe(
    "api is not as it was before (values: cwd)",
  );
});
