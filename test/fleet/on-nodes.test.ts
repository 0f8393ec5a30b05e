/** Commands with --node: the built program, a real NATS server, and nodes of which one has a real PM2. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodePorts } from "../../src/core/index.ts";
import { canHaveTerminal, inTerminal } from "../support/in-terminal.ts";
import { hasNats } from "../support/nats-server.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm as run, type RunResult } from "../support/svcm.ts";
import { whenTestsOver } from "../support/temporary-folder.ts";
import { testFleet, type TestFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const VERSION = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;

interface NodeBody {
  readonly node: string;
  readonly state: string;
  readonly answer?: {
    readonly processes?: readonly { readonly name: string }[];
    readonly affected?: readonly unknown[];
  };
  readonly error?: { readonly code?: string; readonly details?: string };
}

describe.skipIf(!hasNats)("a command with --node (needs nats-server)", () => {
  const whenOver = whenTestsOver();
  let fleet: TestFleet;
  let own: Pm2;
  /** Lets web-2 answer requests for its releases. */
  let release: () => void;

  beforeAll(async () => {
    own = pm2();
    fleet = await testFleet({ whenOver });
    await own.run({ name: "api" });
    await fleet.start("web-1", {
      version: VERSION,
      world: () => nodePorts({ root: fleet.root("web-1"), env: { PM2_HOME: own.home }, cwd: fleet.root("web-1") }),
    });
    const held = new Promise<void>((resolve) => (release = resolve));
    await fleet.start("web-2", {
      version: VERSION,
      world: (ports) => ({ ...ports, releases: { ...ports.releases, list: () => held.then(() => []) } }),
    });
  });
  afterAll(() => own.end());

  const as = (user: string, ...args: string[]): Promise<RunResult> =>
    run(args, { root: fleet.root(user), env: fleet.variables(user) });

  async function jsonAs(user: string, ...args: string[]): Promise<{ code: number | null; nodes: readonly NodeBody[] }> {
    const { code, stdout } = await as(user, ...args, "--json");
    const { nodes } = JSON.parse(stdout) as { nodes?: NodeBody[] };
    expect(nodes, stdout).toBeDefined();
    return { code, nodes: nodes ?? [] };
  }

  const states = (nodes: readonly NodeBody[]): string[] => nodes.map(({ node, state }) => `${node} ${state}`);

  test("prints the answer of each selected node under its name, in the form that the command prints on the machine", async () => {
    const { code, stdout, stderr } = await as("vera", "env", "get", "SVC_HTTP_FRAMEWORK", "--node", "role=web");
    expect([code, stdout, stderr]).toEqual([0, "web-1\nexpress\n\nweb-2\nexpress\n", ""]);
    const table = await as("vera", "env", "get", "--node", "web-2");
    const local = await run(["env", "get"], { root: fleet.root("web-2") });
    expect(table.stdout).toBe(`web-2\n${local.stdout}`);
  });

  longTest("names each missing node and exits 3, even if the others answered", async () => {
    const { code, stdout, stderr } = await as("vera", "process", "list", "--output", "name", "--node", "all");
    expect([code, stdout]).toEqual([3, "web-1\napi\n"]);
    expect(stderr).toContain("db-1: away\n");
    expect(stderr).toMatch(/web-2: failed\nError: [^]*PM2_NOT_RUNNING/);
    expect(stderr).toContain("1 of 3 nodes did not answer: db-1 (away).\n");
  });

  longTest("prints one JSON document with an object for each node", async () => {
    const { code, nodes } = await jsonAs("vera", "process", "list", "--node", "all");
    expect(code).toBe(3);
    expect(nodes).toMatchObject([
      { node: "db-1", state: "away", error: { code: "NODE_UNREACHABLE" } },
      { node: "web-1", state: "answered", answer: { processes: [{ name: "api" }] } },
      { node: "web-2", state: "failed", error: { code: "PM2_NOT_RUNNING" } },
    ]);
  });

  longTest("reports a node as silent if it does not answer before the common deadline", async () => {
    const { code, nodes } = await jsonAs("vera", "releases", "list", "--node", "role=web", "--deadline", "3s");
    release();
    expect([code, states(nodes)]).toEqual([3, ["web-1 answered", "web-2 silent"]]);
    expect(nodes[1]?.error?.code).toBe("NODE_TIMEOUT");
  });

  longTest("restarts the processes of a node for an operator, but not for a viewer", async () => {
    const refused = await jsonAs("vera", "process", "restart", "api", "--node", "web-1");
    expect([refused.code, states(refused.nodes)]).toEqual([3, ["web-1 refused"]]);
    expect(refused.nodes[0]?.error?.code).toBe("NODE_FORBIDDEN");
    const done = await as("otto", "process", "restart", "api", "--node", "web-1", "--node", "web-2");
    expect(done.stdout).toMatch(/^web-1\nRestarted api \(id 0, pid \d+\)\.\n$/);
    expect([done.code, done.stderr]).toEqual([3, expect.stringContaining("web-2: failed\n")]);
    const { nodes } = await jsonAs("vera", "audit", "--node", "web-1", "--limit", "1");
    expect(nodes[0]?.answer).toMatchObject({ records: [{ action: "process.restart", actor: "otto", source: "nats" }] });
  });

  longTest.skipIf(!canHaveTerminal)(
    "asks a user once before it stops processes on nodes, and changes nothing after a no",
    async () => {
      const stop = ["process", "stop", "api", "--node", "role=web"];
      const variables = fleet.variables("otto");
      const question = "Run svcm stop on web-1, web-2? [y/N] ";
      const no = await inTerminal({ root: fleet.root("otto") }, stop, [[question, "n\n"]], variables);
      expect([no.status, no.screen.split(question).length, no.screen.includes("Nothing was changed.")]).toEqual([
        1,
        2,
        true,
      ]);
      const { nodes } = await jsonAs("vera", "process", "list", "--node", "web-1");
      expect(nodes[0]?.answer).toMatchObject({ processes: [{ name: "api", status: "online" }] });
      const yes = await inTerminal({ root: fleet.root("otto") }, stop, [[question, "y\n"]], variables);
      expect([yes.status, yes.screen]).toEqual([3, expect.stringContaining("web-1\nStopped api (id 0).")]);
    },
  );

  test("exits 1 if a node's answer would exit 1", async () => {
    const { code, stdout } = await as("vera", "ecosystem", "check", "--node", "web-1");
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^web-1\ndev has no ecosystem file: .*\n$/)]);
  });

  test.each([
    [
      ["env", "get", "--node", "moon"],
      /No node matches "moon"\. Accepted: all, db-1, web-1, web-2, role=db, role=web\./,
    ],
    [["env", "get", "--node", "role=web,region=eu"], /No node matches/],
    [["env", "get", "--node", "all", "--deadline", "5x"], /--deadline: "5x" is not a time/],
    [["process", "restart", "--node", "all"], /No process was given/],
    [["env", "set", "SVC_HTTP_FRAMEWORK=koa", "--node", "all"], /has no flag --node/],
  ])("refuses svcm %j before it sends a request to a node", async (args, words) => {
    const { code, stdout, stderr } = await as("vera", ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(words);
  });

  test("completes nodes and labels", async () => {
    const { stdout } = await as("vera", "__complete", "fish", "--", "process", "list", "--node", "");
    expect(stdout).toBe("none\nall\nweb-1\nweb-2\ndb-1\nrole=web\nrole=db\n");
  });

  longTest("names a node whose version does not support the request", async () => {
    const seed = new TextEncoder().encode(readFileSync(join(fleet.root("db-1"), "key.nk"), "utf8").trim());
    const older = await connect({
      servers: fleet.server.url,
      authenticator: nkeyAuthenticator(seed),
    });
    const presence = { svcm: "0.9.0", nodejs: "20.0.0", pm2: null, environments: [], services: [] };
    const startedAt = new Date().toISOString();
    await older.request("in.nodes.db-1", JSON.stringify({ ...presence, instance: "a", startedAt }));
    older.subscribe("svcm.db-1.*.*.*.*", {
      callback: (_, message) => {
        const isKnown = message.subject.includes(".keys.list.");
        // In the present version, the result of keys.list has `keys`.
        const answer = isKnown
          ? { ok: true, result: { entries: [] } }
          : { ok: false, kind: "NOT_FOUND", error: { error: "Not found." } };
        message.respond(JSON.stringify({ now: Date.now(), ...answer }));
      },
    });
    const unknown = await jsonAs("vera", "process", "list", "--node", "role=db");
    const otherForm = await jsonAs("vera", "keys", "list", "--node", "role=db");
    const output = await as("vera", "keys", "list", "--node", "role=db");
    await older.close();
    expect([unknown.code, states(unknown.nodes)]).toEqual([3, ["db-1 other-version"]]);
    expect(states(otherForm.nodes)).toEqual(["db-1 other-version"]);
    expect([output.code, output.stderr]).toEqual([3, expect.stringContaining("OPERATION_UNKNOWN")]);
  });
});
