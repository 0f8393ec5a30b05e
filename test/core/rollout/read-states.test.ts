/** The start of a plan: PM2's list, or the file of a revision, and what Git says of both. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { gitIssues, readGitState, readStates } from "../../../src/core/rollout/read-states.ts";
import { loaded } from "./loaded.ts";
import { playRollout, WORKER } from "./played-rollout.ts";

const COMMIT = "a".repeat(40);

function world(more: object = {}) {
  const made = playRollout();
  made.declare([WORKER]);
  const { root } = made.ports.workspace;
  const calls: unknown[] = [];
  const ports = {
    ...made.ports,
    workspace: { ...made.ports.workspace, pm2Dir: `${root}/pm2` },
    ecosystems: {
      ...made.ports.ecosystems,
      list: async (folder: string) => (calls.push(folder), ["ecosystem.dev.config.cjs"]),
      load: async (path: string) => (calls.push(path), loaded([{ ...WORKER, script: `${path}/worker.js` }])),
    },
    revisions: {
      ...made.ports.revisions,
      withFiles: async <T>(revision: string, work: (folder: string, commit: string) => Promise<T>) => (
        calls.push(revision),
        await work("/tmp/rev", COMMIT)
      ),
    },
    ...more,
  };
  return { root, ports: ports as never, calls };
}

describe("with a revision", () => {
  const place = { environment: "dev", service: undefined, from: "v1" } as never;

  test("a plan starts from its file, with the paths of the checkout, and from no PM2", async () => {
    const { ports, root, calls } = world();
    const { start } = await readStates(ports, place);
    expect(calls).toContain("v1");
    expect(calls).toContain("/tmp/rev/pm2/ecosystem.dev.config.cjs");
    expect(start.context).toEqual({ pm2: null, from: { revision: "v1", commit: COMMIT } });
    expect(start.running.map(({ name, script }) => [name, script])).toEqual([
      ["worker", `${root}/pm2/ecosystem.dev.config.cjs/worker.js`],
    ]);
  });

  test("a file that fails is named as in the checkout, with the revision", async () => {
    const failing = (body: object) => {
      const made = world();
      const { ecosystems } = made.ports as { ecosystems: { load: (path: string) => Promise<unknown> } };
      const { load } = ecosystems;
      ecosystems.load = async (path) => {
        if (!path.startsWith("/tmp/rev")) return await load(path);
        throw new SvcmError("PM2_FAILED", { details: `${path} is broken`, ...body });
      };
      return made;
    };
    const broken = failing({ path: "/tmp/rev/pm2/e.cjs" });
    const name = `${broken.root}/pm2/ecosystem.dev.config.cjs`;
    await expect(readStates(broken.ports, place)).rejects.toMatchObject({
      kind: "PM2_FAILED",
      body: { details: `At v1: ${name} is broken`, path: `${broken.root}/pm2/e.cjs` },
    });
    const without = await readStates(failing({}).ports, place).catch((error: unknown) => error);
    expect((without as SvcmError).body).not.toHaveProperty("path");
  });

  test("ecosystem files outside of the repository are refused", async () => {
    const { ports, root } = world();
    const outside = {
      ...(ports as object),
      workspace: { ...(ports as { workspace: object }).workspace, pm2Dir: "/etc/pm2" },
    };
    await expect(readStates(outside as never, place)).rejects.toMatchObject({
      kind: "INVALID_REQUEST",
      body: { details: expect.stringContaining(`Accepted: a folder below ${root}.`) },
    });
    const top = { ...(ports as object), workspace: { ...(ports as { workspace: object }).workspace, pm2Dir: root } };
    expect((await readStates(top as never, place)).start.running).toHaveLength(1);
  });
});

describe("without a revision", () => {
  const place = { environment: "dev", service: undefined } as never;

  test("a plan starts from PM2's list, and knows a daemon that has died", async () => {
    const { ports } = world();
    const listed = { ...(ports as { processes: object }).processes, lostDaemons: () => [5] };
    expect((await readStates({ ...(ports as object), processes: listed } as never, place)).start.lost).toEqual([5]);
    expect((await readStates(ports, place)).start).toMatchObject({ running: [], dead: undefined, lost: [] });
    const absent = new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING" });
    const processes = {
      ...(ports as { processes: object }).processes,
      withHomeKey: async () => ({ list: () => Promise.reject(absent), digest: (text: string) => text }),
      lostDaemons: () => [5],
    };
    const processLogs = { readDaemonTraces: async () => ({ pid: 77, signMs: 1, savedNames: [] }) };
    const dead = await readStates({ ...(ports as object), processes, processLogs } as never, place);
    expect(dead.start).toMatchObject({ running: [], lost: [], dead: expect.stringContaining("pid 77") });
  });
});

test("Git's state has the paths of the repository, and its silence is a warning", async () => {
  let own = "";
  const { ports, root } = world({
    revisions: {
      readState: async (paths: () => Promise<readonly string[]>) => ({
        commit: COMMIT,
        dirty: [...(await paths()), `${own}/x.js`, "/etc/y.js"],
      }),
      refusal: async () => new SvcmError("REVISION_FAILED", { details: "Git is silent" }),
    },
  });
  own = root;
  const reading = { loaded: { ...loaded([WORKER]), files: [`${root}/e.cjs`] } };
  const state = await readGitState(ports, reading as never);
  expect(state?.commit).toBe(COMMIT);
  expect(state?.dirty).toEqual(["e.cjs", "/srv/.env", "deployments.yaml", "svcm.yaml", "x.js", "/etc/y.js"]);
  expect(await gitIssues(ports, state)).toEqual([]);
  expect(await gitIssues(ports, null)).toMatchObject([
    { severity: "warning", path: ["git"], message: expect.stringContaining("because Git does not answer: ") },
  ]);
  const quiet = world({ revisions: { readState: async () => undefined, refusal: async () => undefined } });
  expect(await readGitState(quiet.ports, reading as never)).toBeNull();
  expect(await gitIssues(quiet.ports, null)).toEqual([]);
});
