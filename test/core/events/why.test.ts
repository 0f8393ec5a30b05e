/** The answer to `svcm why`. */
import { describe, expect, test } from "vitest";
import type { WhyResponse } from "../../../src/core/api/events.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { explainEnd } from "../../../src/core/events/why.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { api, at, exit, makePorts, NOW, START, type Line, type World } from "./why-world.ts";

const why = async (world: World, name?: string): Promise<WhyResponse> =>
  (await explainEnd(makePorts(world) as never, name, { grants: world.grants ?? ["read", "logs"] } as never)).response;
const silent = new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details: "PM2 did not answer." });
const gone = new SvcmError("PM2_FAILED", { code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." });

describe("the last end", () => {
  test("is that of the app, with its reason and how often it ended lately", async () => {
    const lines = [START, ...exit(5), ...exit(1000), ...exit(1010)];
    const found = await why(
      { lines, errors: [{ text: "Error: no database" }], writtenMs: Date.parse(at(1010)) },
      "api",
    );
    expect(found).toMatchObject({
      app: "api",
      event: { kind: "exit", at: at(1010), cause: "crash", exitCode: 7 },
      reason: "Error: no database",
      known: `The last end was at ${at(1010)}.`,
      recentEnds: 2,
      complete: true,
    });
    expect(found.processes).toMatchObject([{ pmId: 0, status: "online", state: "online" }]);
  });

  test("of a quarter of an hour counts", async () => {
    expect((await why({ lines: [START, ...exit(0), ...exit(900)] }, "api")).recentEnds).toBe(2);
    expect((await why({ lines: [START, ...exit(0), ...exit(901)] }, "api")).recentEnds).toBe(1);
  });

  test("is missing, and until when that is known", async () => {
    const { event, recentEnds, known, reason } = await why({ lines: [START] }, "api");
    expect([event, recentEnds, reason]).toEqual([null, 0, null]);
    expect(known).not.toContain("The last end was");
    expect((await why({ lines: [START], processes: silent }, "api")).known).not.toBe(known);
  });

  test("that only the counters of PM2 have comes before an older one of the log", async () => {
    const counted = api({ restartCount: 3, exitCode: 9 });
    const { event } = await why(
      { lines: [START, ...exit(5)], processes: [counted], coverage: { exists: false, fromMs: null } },
      "api",
    );
    expect(event).toMatchObject({ exitCode: 9 });
  });

  test("without a name is that of the app that ended last", async () => {
    const other: Line[] = [[6, "App [jobs:1] exited with code [1] via signal [SIGINT]"]];
    expect(
      (await why({ lines: [START, ...exit(5), ...other], processes: [api(), api({ name: "jobs", pmId: 1 })] })).app,
    ).toBe("jobs");
    const counted = [
      api({ name: "calm" }),
      api({ name: "some", pmId: 1, restartCount: 1 }),
      api({ name: "most", pmId: 2, restartCount: 2 }),
    ];
    expect((await why({ processes: counted })).app).toBe("most");
    expect((await why({ lines: [START, ...exit(5)], processes: silent })).app).toBe("api");
    expect((await why({ processes: gone, savedNames: ["saved"] })).app).toBe("saved");
  });

  test.each<[readonly ProcessRecord[], string]>([
    [[api({ name: "b" }), api({ name: "a", pmId: 1 }), api({ name: "a", pmId: 2 })], "Name a process: a, b."],
    [[], "PM2 lists no process."],
  ])("of no app is an answer, too", async (processes, accepted) => {
    await expect(why({ processes })).rejects.toMatchObject({
      kind: "PROCESS_NOT_FOUND",
      body: { details: `No process ended within 30 days as far as PM2's log shows. ${accepted}` },
    });
  });
});

describe("a name that", () => {
  test("neither the log nor PM2 has is refused", async () => {
    await expect(why({}, "apy")).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
    await expect(why({ processes: silent }, "apy")).rejects.toBe(silent);
    await expect(why({ processes: gone }, "apy")).rejects.toBe(gone);
  });
  test("the log has is explained without PM2, and that is said", async () => {
    expect((await why({ lines: [START, ...exit(5)], processes: silent }, "api")).now).toContain("PM2 did not answer.");
    const bare = new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT" });
    expect((await why({ lines: [START, ...exit(5)], processes: bare }, "api")).now).toContain(bare.message);
  });
  test("only the saved list has is explained by the end of the daemon", async () => {
    const { now, event } = await why({ processes: gone, savedNames: ["api"], signMs: NOW - 1000 }, "api");
    expect(now).toContain("No PM2 daemon runs. To bring back api: svcm boot restore");
    expect(event).toMatchObject({ kind: "exit", cause: "daemon" });
    const stopped: Line[] = [
      START,
      [3, "Stopping app:api id:0"],
      [3, "App [api:0] exited with code [0] via signal [SIGINT]"],
    ];
    expect(
      (await why({ lines: stopped, processes: gone, savedNames: ["api"], signMs: NOW - 1000 }, "api")).event?.cause,
    ).not.toBe("daemon");
    expect((await why({ lines: stopped, processes: gone }, "api")).event).not.toBeNull();
  });
});

describe("what is known now", () => {
  const lines = [START, ...exit(1000)];
  test("names a release before the end, or a value that was changed", async () => {
    const head = {
      event: "release",
      id: "r1",
      environment: "dev",
      startedAt: at(900),
      source: "cli",
      steps: [{ do: "update", app: "api", pmIds: [0] }],
      before: [],
      left: { apps: {} },
    };
    const releases = [
      [
        head,
        { event: "step", step: 0, phase: "begun", at: at(900) },
        { event: "step", step: 0, phase: "done", at: at(901) },
        { event: "end", outcome: "applied", at: at(901) },
      ],
    ];
    const write = {
      id: "1",
      timestamp: at(990),
      action: "env.write",
      source: "cli",
      outcome: "succeeded",
      environment: "dev",
      keys: ["MODE"],
      actor: "ann",
    };
    const { now } = await why({ lines, releases, audit: [write] }, "api");
    expect(now.find((line) => line.startsWith("svcm changed MODE in dev"))).toBeDefined();
    expect(now.find((line) => line.startsWith("The release r1 was applied"))).toContain("To undo it: svcm rollback r1");
    const other = { ...write, environment: "production" };
    expect((await why({ lines, releases, audit: [other] }, "api")).now.join()).not.toContain("MODE");
  });

  test("names what svcm cannot read, and nothing for a caller who may not read logs", async () => {
    const world = {
      lines,
      errors: [{ text: "Error: secret" }],
      problems: ["The log is gone.", "The log is gone."],
      writtenMs: Date.parse(at(1000)),
    };
    const own = await why(world, "api");
    expect(own.now.filter((line) => line === "The log is gone.")).toHaveLength(1);
    const { reason, errorLines, now } = await why({ ...world, grants: ["read"] }, "api");
    expect([reason, errorLines, now.includes("The log is gone.")]).toEqual([null, [], false]);
  });

  test("says that PM2 does not list it, only if that is so", async () => {
    const absent = "PM2 does not list it now.";
    expect((await why({ lines, processes: [api({ name: "other" })] }, "api")).now).toContain(absent);
    expect((await why({ lines }, "api")).now).not.toContain(absent);
    expect((await why({ lines, processes: silent }, "api")).now).not.toContain(absent);
  });

  const worker: Partial<ProcessRecord> = { execMode: "cluster" };
  const cluster: Line[] = [
    [1, "App [api:0] starting in -cluster mode-"],
    [1000, "App [api:0] exited with code [0] via signal [SIGINT]"],
    [1000, "App [api:0] starting in -cluster mode-"],
  ];
  test.each<[string, Partial<ProcessRecord>, World, string | undefined]>([
    [
      "what a worker may hide",
      worker,
      { lines: cluster },
      "PM2 hides what a worker throws while it loads. To see such an error: svcm env run --app api -- node /srv/api.js",
    ],
    [
      "what it cannot load",
      worker,
      { lines: cluster, loadFault: "no module x" },
      "It probably cannot load: no module x.",
    ],
    ["nothing of an app in fork mode", {}, { lines: cluster }, undefined],
    [
      "nothing if its log has the reason",
      worker,
      { lines: cluster, errors: [{ text: "Error: x" }], writtenMs: Date.parse(at(1000)) },
      undefined,
    ],
    ["nothing if it has an exit code", worker, { lines: [cluster[0]!, ...exit(1000)] }, undefined],
    [
      "nothing if a signal ended it",
      worker,
      { lines: [cluster[0]!, [1000, "App [api:0] exited with code [0] via signal [SIGKILL]"]] },
      undefined,
    ],
    ["nothing without an end", worker, { lines: cluster.slice(0, 1) }, undefined],
  ])("names %s", async (_what, more, world, sentence) => {
    const { now } = await why({ ...world, processes: [api(more)] }, "api");
    const hidden = now.filter((line) => /^(?:PM2 hides|It probably cannot load)/.test(line));
    expect(hidden).toEqual(sentence === undefined ? [] : [sentence]);
  });
});
